"""Every setting of clinrag: the typed tree, and where its values come from.

A profile is any TOML file of that tree. Order: command line, environment, TOML file, defaults.
Nothing falls back from one profile to another.
"""

from clinrag_core.settings.load import choose, load_settings, load_with_origins, preset_names
from clinrag_core.settings.paths import data_folder
from clinrag_core.settings.tree import (
    AcceptanceSettings,
    AcquireSettings,
    AnswerSettings,
    BM25Settings,
    ChunkSettings,
    EncoderSettings,
    GeneratorSettings,
    Pooling,
    RetrievalSettings,
    ServiceSettings,
    Settings,
    Similarity,
    SparseSettings,
    UserDocumentSettings,
    VectorStoreSettings,
)

__all__ = [
    "AcceptanceSettings",
    "AcquireSettings",
    "AnswerSettings",
    "BM25Settings",
    "ChunkSettings",
    "EncoderSettings",
    "GeneratorSettings",
    "Pooling",
    "RetrievalSettings",
    "ServiceSettings",
    "Settings",
    "Similarity",
    "SparseSettings",
    "UserDocumentSettings",
    "VectorStoreSettings",
    "choose",
    "data_folder",
    "load_settings",
    "load_with_origins",
    "preset_names",
]
