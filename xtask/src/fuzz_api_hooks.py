"""What schemathesis reads differently from what the API description says."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    # A list is [items, total], written with `prefixItems` as OpenAPI 3.1 has it. schemathesis 4.32.5 turns that into
    # the older `items: [...]` and then refuses its own result as no schema. What is said here is almost the same:
    # two elements, each of one of the kinds.
    def rewrite(node):
        if isinstance(node, dict):
            elements = node.pop("prefixItems", None)
            if elements is not None:
                node["items"] = {"anyOf": elements}
                node["minItems"] = node["maxItems"] = len(elements)
            node = list(node.values())
        if isinstance(node, list):
            for child in node:
                rewrite(child)

    rewrite(raw_schema)
