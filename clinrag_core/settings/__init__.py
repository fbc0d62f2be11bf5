"""Every setting of clinrag: the typed tree, and the sources of its values.

A profile is any TOML file of that tree. Order: command line, environment, TOML file, defaults.
Nothing falls back from one profile to another.
"""

from clinrag_core.settings.load import choose as choose
from clinrag_core.settings.load import load_settings as load_settings
from clinrag_core.settings.load import load_with_origins as load_with_origins
from clinrag_core.settings.load import preset_names as preset_names
from clinrag_core.settings.multistage import SEED as SEED
from clinrag_core.settings.multistage import ConceptSettings as ConceptSettings
from clinrag_core.settings.multistage import MultistageSettings as MultistageSettings
from clinrag_core.settings.paths import data_folder as data_folder
from clinrag_core.settings.service import OF_A_CORPUS as OF_A_CORPUS
from clinrag_core.settings.service import AuditSettings as AuditSettings
from clinrag_core.settings.service import ParseLimits as ParseLimits
from clinrag_core.settings.service import ServiceSettings as ServiceSettings
from clinrag_core.settings.service import UserDocumentSettings as UserDocumentSettings
from clinrag_core.settings.tree import AcceptanceSettings as AcceptanceSettings
from clinrag_core.settings.tree import AcquireSettings as AcquireSettings
from clinrag_core.settings.tree import AnswerSettings as AnswerSettings
from clinrag_core.settings.tree import BM25Settings as BM25Settings
from clinrag_core.settings.tree import ChunkSettings as ChunkSettings
from clinrag_core.settings.tree import EncoderSettings as EncoderSettings
from clinrag_core.settings.tree import ExecutorSettings as ExecutorSettings
from clinrag_core.settings.tree import GeneratorSettings as GeneratorSettings
from clinrag_core.settings.tree import NoteSettings as NoteSettings
from clinrag_core.settings.tree import Pooling as Pooling
from clinrag_core.settings.tree import RetrievalSettings as RetrievalSettings
from clinrag_core.settings.tree import Settings as Settings
from clinrag_core.settings.tree import Similarity as Similarity
from clinrag_core.settings.tree import SparseSettings as SparseSettings
from clinrag_core.settings.tree import VectorStoreSettings as VectorStoreSettings
