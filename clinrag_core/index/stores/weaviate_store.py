"""Weaviate by its REST and GraphQL interface: a collection is a class.

Its own client would bring another version of grpcio than the orchestration needs. Object ids are
UUIDs made from chunk ids; the chunk id is a property. Weaviate searches by HNSW.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.approximate import BUILD_WIDTH, LINKS, SEARCH_WIDTH
from clinrag_core.index.stores.collection import ServerStore, as_list, with_id
from clinrag_core.index.stores.database import Attempts, needed_url, point_id
from clinrag_core.index.stores.protocol import PAYLOAD_TYPES, VectorHit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.index.stores.database import Conditions
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings

NOT_FOUND = 404  # HTTP status
ID = "clinrag_id"
PROPERTIES = {ID: "text"} | {
    name: "int" if kind == "integer" else kind for name, kind in PAYLOAD_TYPES.items()
}


class _RefusedError(Exception):
    """An answer of Weaviate that says that something is wrong with a request."""


class WeaviateDatabase:
    """The classes of a Weaviate; see `VectorDatabase` for the contract.

    Raises:
        VectorStoreUnavailableError: no address is given.
    """

    def __init__(
        self,
        settings: VectorStoreSettings,
        api_key: str | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        url = needed_url(settings, "http://HOST:8080")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=settings.timeout_s)
        again = (httpx.TransportError, httpx.HTTPStatusError)
        self._attempts = Attempts("Weaviate", settings, again, (_RefusedError, ValueError), sleep)

    def store(self, collection: str, dimension: int) -> WeaviateStore:
        """See `VectorDatabase.store`."""
        return WeaviateStore(self, collection, dimension)

    def collections(self) -> list[str]:
        """See `VectorDatabase.collections`."""
        return sorted(one["class"] for one in self.ask("GET", "/v1/schema")["classes"])

    def drop(self, collection: str) -> None:
        """See `VectorDatabase.drop`."""
        self.ask("DELETE", f"/v1/schema/{collection}", absent=True)

    def ask(self, method: str, path: str, body: Any = None, *, absent: bool = False) -> Any:
        """Return the JSON of an answer; None for 404 where something may be `absent`.

        Raises:
            VectorStoreUnavailableError: Weaviate does not answer, or refuses the request.
        """
        return self._attempts(lambda: self._once(method, path, body, absent))

    def graphql(self, query: str) -> Any:
        """Return the data that a GraphQL query gives; raises as `ask`."""
        answer = self.ask("POST", "/v1/graphql", {"query": query})
        if answer.get("errors"):
            raise VectorStoreUnavailableError(
                f"Weaviate refuses a query: {answer['errors'][0].get('message')}"
            )
        return answer["data"]

    def answers(self) -> bool:
        """True if the server is ready now."""
        path = "/v1/.well-known/ready"
        return self._attempts.answers(lambda: self._client.get(path).raise_for_status())

    def _once(self, method: str, path: str, body: Any, absent: bool) -> Any:
        response = self._client.request(method, path, json=body)
        if absent and response.status_code == NOT_FOUND:
            return None
        if response.is_client_error:
            raise _RefusedError(f"{response.status_code}: {response.text[:200]}")
        response.raise_for_status()
        return response.json() if response.content else {}


class WeaviateStore(ServerStore[WeaviateDatabase]):
    """One class of Weaviate, which builds its graph by itself."""

    def _make(self) -> None:
        path = f"/v1/schema/{self._collection}"
        if self._database.ask("GET", path, absent=True) is None:
            self._database.ask("POST", "/v1/schema", self._definition())

    def _put(self, records: Sequence[VectorRecord]) -> None:
        """Send objects; one that is refused fails the batch."""
        objects = [
            {
                "class": self._collection,
                "id": point_id(record.id),
                "vector": as_list(record.vector),
                "properties": with_id(record, ID),
            }
            for record in records
        ]
        answers = self._database.ask("POST", "/v1/batch/objects", {"objects": objects})
        if failed := [a for a in answers if (a.get("result") or {}).get("errors")]:
            reason = json.dumps(failed[0]["result"]["errors"])[:200]
            raise VectorStoreUnavailableError(
                f"Weaviate refuses {len(failed)} of {len(objects)} records: {reason}"
            )

    def _nearest(self, vector: list[float], limit: int, wanted: Conditions) -> list[VectorHit]:
        """Search by HNSW."""
        given = f"nearVector: {{vector: {json.dumps(vector)}}}, limit: {limit}"
        if where := _where(wanted):
            given += f", where: {where}"
        data = self._database.graphql(
            f"{{Get {{{self._collection}({given}) {{{ID} _additional {{distance}}}}}}}}"
        )
        # Weaviate's distance of "dot" is the negative inner product.
        return [
            VectorHit(str(one[ID]), -float(one["_additional"]["distance"]))
            for one in data["Get"][self._collection]
        ]

    def _remove(self, ids: list[str]) -> None:
        for chunk_id in ids:
            path = f"/v1/objects/{self._collection}/{point_id(chunk_id)}"
            self._database.ask("DELETE", path, absent=True)

    def _count(self) -> int:
        data = self._database.graphql(f"{{Aggregate {{{self._collection} {{meta {{count}}}}}}}}")
        return int(data["Aggregate"][self._collection][0]["meta"]["count"])

    def _definition(self) -> dict[str, Any]:
        """The class: vectors of our own, text compared as a whole."""
        whole = {"tokenization": "field"}
        return {
            "class": self._collection,
            "vectorizer": "none",
            "vectorIndexType": "hnsw",
            "vectorIndexConfig": {
                "distance": "dot",
                "ef": SEARCH_WIDTH,
                "efConstruction": BUILD_WIDTH,
                "maxConnections": LINKS,
            },
            "properties": [
                {"name": name, "dataType": [kind], **(whole if kind.startswith("text") else {})}
                for name, kind in PROPERTIES.items()
            ],
        }


def _where(asked: Conditions) -> str:
    """The conditions of a filter as a GraphQL argument; JSON's strings are GraphQL's as well."""
    operands = [
        _operand(field, "ContainsAny", "valueText", values)
        for field, values in asked.any_of.items()
    ]
    if asked.year_from is not None:
        operands.append(_operand("year", "GreaterThanEqual", "valueInt", asked.year_from))
    if asked.year_to is not None:
        operands.append(_operand("year", "LessThanEqual", "valueInt", asked.year_to))
    if asked.tables_only:
        operands.append(_operand("has_table", "Equal", "valueBoolean", True))
    if len(operands) > 1:
        return f"{{operator: And, operands: [{', '.join(operands)}]}}"
    return operands[0] if operands else ""


def _operand(field: str, operator: str, kind: str, value: object) -> str:
    return f"{{path: [{json.dumps(field)}], operator: {operator}, {kind}: {json.dumps(value)}}}"
