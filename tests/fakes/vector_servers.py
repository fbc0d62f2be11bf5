"""Weaviate and Pinecone, played on this machine in the shapes of their public interfaces.

Weaviate: REST (`/v1/schema`, `/v1/batch/objects`, `/v1/objects`) and GraphQL, which is parsed by
graphql-core, so that a query that is not GraphQL fails. Pinecone: the data plane that its own
client speaks. Both search exactly; neither is the real engine.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from graphql import (
    BooleanValueNode,
    EnumValueNode,
    FieldNode,
    FloatValueNode,
    IntValueNode,
    ListValueNode,
    ObjectValueNode,
    StringValueNode,
    parse,
)

Answer = tuple[int, Any]


class FakeServer:
    """An HTTP server in a thread; `failures` requests are answered with 503 first."""

    def __init__(self) -> None:
        self.failures = 0
        self.requests: list[tuple[str, str]] = []
        self.key: str | None = None
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing."""

            def do(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length).decode()
                path = unquote(urlsplit(self.path).path)
                server.requests.append((self.command, path))
                if server.failures > 0:
                    server.failures -= 1
                    status, body = 503, {"message": "busy"}
                elif not server.admits({k.lower(): v for k, v in self.headers.items()}):
                    status, body = 401, {"message": "unauthorized"}
                else:
                    status, body = server.answer(
                        self.command, path, json.loads(text) if text else None
                    )
                data = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_DELETE = do  # noqa: N815 - names of the base class

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def admits(self, headers: dict[str, str]) -> bool:
        """True if a request has the key that the server wants."""
        return True

    def answer(self, method: str, path: str, body: Any) -> Answer:
        """Status and JSON of an answer."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the server."""
        self._http.shutdown()
        self._http.server_close()


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


class FakeWeaviate(FakeServer):
    """Classes with their objects."""

    def __init__(self) -> None:
        super().__init__()
        self.classes: dict[str, dict[str, Any]] = {}
        self.objects: dict[str, dict[str, dict[str, Any]]] = {}

    def admits(self, headers: dict[str, str]) -> bool:
        return self.key is None or headers.get("authorization") == f"Bearer {self.key}"

    def answer(self, method: str, path: str, body: Any) -> Answer:  # noqa: PLR0911 - one a path
        match (method, path.strip("/").split("/")[1:]):
            case "GET", [".well-known", "ready"]:
                return 200, None
            case "GET", ["schema"]:
                return 200, {"classes": list(self.classes.values())}
            case "GET", ["schema", name]:
                return (200, self.classes[name]) if name in self.classes else (404, None)
            case "POST", ["schema"]:
                return self._create(body)
            case "DELETE", ["schema", name]:
                self.classes.pop(name, None)
                self.objects.pop(name, None)
                return 200, None
            case "POST", ["batch", "objects"]:
                return 200, [self._put(one) for one in body["objects"]]
            case "DELETE", ["objects", name, key]:
                return (204 if self.objects[name].pop(key, None) else 404), None
            case "POST", ["graphql"]:
                try:
                    return 200, {"data": self._graphql(body["query"])}
                except Exception as error:  # noqa: BLE001 - as the server: errors with status 200
                    return 200, {"errors": [{"message": str(error)}]}
        return 404, {"error": [{"message": f"no {method} {path}"}]}

    def _create(self, body: Any) -> Answer:
        name = body["class"]
        if not name[0].isupper() or name in self.classes:
            return 422, {"error": [{"message": f"class name {name!r}"}]}
        assert body["vectorIndexConfig"]["distance"] == "dot"
        self.classes[name] = body
        self.objects[name] = {}
        return 200, body

    def _put(self, one: Any) -> Any:
        known = {p["name"]: p["dataType"][0] for p in self.classes[one["class"]]["properties"]}
        kinds = {"text": str, "text[]": list, "int": int, "boolean": bool}
        for name, value in one["properties"].items():
            if name not in known or not isinstance(value, kinds[known[name]]):
                errors = {"error": [{"message": f"invalid property {name}"}]}
                return {**one, "result": {"status": "FAILED", "errors": errors}}
        self.objects[one["class"]][one["id"]] = one
        return {**one, "result": {"status": "SUCCESS"}}

    def _graphql(self, query: str) -> Any:
        (operation,) = parse(query).definitions
        (kind,) = operation.selection_set.selections
        (cls,) = kind.selection_set.selections
        name = cls.name.value
        held = list(self.objects[name].values())
        if kind.name.value == "Aggregate":
            return {"Aggregate": {name: [{"meta": {"count": len(held)}}]}}
        given = {argument.name.value: _value(argument.value) for argument in cls.arguments}
        vector = given["nearVector"]["vector"]
        wanted = [
            field.name.value
            for field in cls.selection_set.selections
            if isinstance(field, FieldNode) and field.name.value != "_additional"
        ]
        found = [
            {
                **{field: one["properties"].get(field) for field in wanted},
                "_additional": {"distance": -dot(one["vector"], vector)},
            }
            for one in held
            if "where" not in given or _meets(given["where"], one["properties"])
        ]
        found.sort(key=lambda one: one["_additional"]["distance"])
        return {"Get": {name: found[: int(given["limit"])]}}


def _value(node: Any) -> Any:
    match node:
        case ObjectValueNode():
            return {field.name.value: _value(field.value) for field in node.fields}
        case ListValueNode():
            return [_value(value) for value in node.values]
        case IntValueNode():
            return int(node.value)
        case FloatValueNode():
            return float(node.value)
        case StringValueNode() | EnumValueNode() | BooleanValueNode():
            return node.value
    raise ValueError(f"no value: {node}")


def _meets(where: dict[str, Any], properties: dict[str, Any]) -> bool:
    if where["operator"] == "And":
        return all(_meets(operand, properties) for operand in where["operands"])
    (name,) = where["path"]
    held = properties.get(name)
    if held is None:
        return False
    match where["operator"]:
        case "ContainsAny":
            values = held if isinstance(held, list) else [held]
            return not set(values).isdisjoint(where["valueText"])
        case "GreaterThanEqual":
            return held >= where["valueInt"]
        case "LessThanEqual":
            return held <= where["valueInt"]
        case "Equal":
            return held == where["valueBoolean"]
    raise ValueError(f"no operator {where['operator']}")


class FakePinecone(FakeServer):
    """The data plane of one index of some dimension."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.namespaces: dict[str, dict[str, dict[str, Any]]] = {}

    def admits(self, headers: dict[str, str]) -> bool:
        return self.key is None or headers.get("api-key") == self.key

    def answer(self, method: str, path: str, body: Any) -> Answer:
        match (method, path.strip("/").split("/")):
            case "POST", ["vectors", "upsert"]:
                return self._upsert(body)
            case "POST", ["vectors", "delete"]:
                held = self.namespaces.get(body["namespace"], {})
                for key in body["ids"]:
                    held.pop(key, None)
                return 200, {}
            case "POST", ["query"]:
                return self._query(body)
            case "POST", ["describe_index_stats"]:
                counts = {
                    name: {"vectorCount": len(held)} for name, held in self.namespaces.items()
                }
                total = sum(len(held) for held in self.namespaces.values())
                return 200, {
                    "namespaces": counts,
                    "dimension": self.dimension,
                    "indexFullness": 0,
                    "totalVectorCount": total,
                    "metric": "dotproduct",
                    "vectorType": "dense",
                }
            case "DELETE", ["namespaces", name]:
                found = self.namespaces.pop(name, None)
                return (200, {}) if found is not None else (404, {"code": 5, "message": "none"})
        return 404, {"code": 5, "message": f"no {method} {path}"}

    def _upsert(self, body: Any) -> Answer:
        held = self.namespaces.setdefault(body["namespace"], {})
        for one in body["vectors"]:
            if len(one["values"]) != self.dimension:
                return 400, {"code": 3, "message": "wrong dimension", "details": []}
            for value in one.get("metadata", {}).values():
                if not isinstance(value, str | int | float | bool) and not (
                    isinstance(value, list) and all(isinstance(v, str) for v in value)
                ):
                    return 400, {"code": 3, "message": "metadata value", "details": []}
            held[one["id"]] = one
        return 200, {"upsertedCount": len(body["vectors"])}

    def _query(self, body: Any) -> Answer:
        held = self.namespaces.get(body.get("namespace", ""), {})
        matches = [
            {"id": key, "score": dot(one["values"], body["vector"]), "values": []}
            for key, one in held.items()
            if _passes(body.get("filter") or {}, one.get("metadata", {}))
        ]
        matches.sort(key=lambda match: -match["score"])
        return 200, {
            "matches": matches[: body["topK"]],
            "namespace": body.get("namespace", ""),
            "usage": {"readUnits": 1},
        }


def _passes(wanted: dict[str, Any], metadata: dict[str, Any]) -> bool:
    if "$and" in wanted:
        return all(_passes(one, metadata) for one in wanted["$and"])
    return all(_is(metadata.get(field), condition) for field, condition in wanted.items())


def _is(held: Any, condition: dict[str, Any]) -> bool:
    ((operator, value),) = condition.items()
    if held is None:
        return False
    match operator:
        case "$in":
            return not set(held if isinstance(held, list) else [held]).isdisjoint(value)
        case "$eq":
            return held == value
        case "$gte":
            return held >= value
        case "$lte":
            return held <= value
    raise ValueError(f"no operator {operator}")
