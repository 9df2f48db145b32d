"""The page that describes the API, made of its OpenAPI schema: plain HTML, no script, nothing from other hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from hueval_site.api.api import api

CONTENT = "application/json"


def description(request: HttpRequest) -> HttpResponse:
    """The page."""
    schema = api.get_openapi_schema()
    operations = [
        _operation(method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    kinds = [_kind(name, kind) for name, kind in schema["components"]["schemas"].items()]
    context = {"description": schema["info"]["description"], "operations": operations, "kinds": kinds}
    return render(request, "api/description.html", context)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [
        {
            "name": one["name"],
            "type": _type_of(one["schema"]),
            "required": one["required"],
            "text": one["schema"].get("description", ""),
        }
        for one in operation.get("parameters", ())
    ]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        body = content["schema"]
        required = body.get("required", ())
        parameters += [
            {"name": name, "type": _type_of(one), "required": name in required, "text": one.get("description", "")}
            for name, one in body.get("properties", {}).items()
        ]
    answers = [
        _type_of(answer["content"][CONTENT]["schema"])
        for status, answer in operation["responses"].items()
        if str(status) < "300" and CONTENT in answer.get("content", {})
    ]
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": operation.get("description", ""),
        "parameters": parameters,
        "needs_token": bool(operation.get("security")),
        "answer": answers[0] if answers else "",
    }


def _kind(name: str, kind: Mapping[str, Any]) -> dict[str, Any]:
    fields = [
        {"name": field, "type": _type_of(one), "text": one.get("description", "")}
        for field, one in kind.get("properties", {}).items()
    ]
    return {"name": name, "text": kind.get("description", ""), "fields": fields}


def _type_of(schema: Mapping[str, Any]) -> str:
    """A type in a few words, such as `list of Row`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type_of(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type_of(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type_of(schema['additionalProperties'])}"
    return str(schema.get("format") or schema.get("type", "any"))
