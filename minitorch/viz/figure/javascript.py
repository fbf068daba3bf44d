"""The renderer as JavaScript: functions of `scene/` translated for pages.

What draws a still picture draws a live one, so that there is one renderer. Its Python
is plain: no NumPy, no `+` of lists, no exceptions. Names that a script in `assets/`
exports stand for themselves, such as `Drawing` and the built-in functions.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

# Methods of texts, lists and dicts.
_METHODS = {
    "append": "{0}.push({1})", "copy": "{{...{0}}}", "endswith": "{0}.endsWith({1})",
    "extend": "{0}.push(...{1})", "get": "({0}[{1}] ?? {2})",
    "items": "Object.entries({0})", "join": "list({1}).join({0})",
    "lstrip": "{0}.trimStart()", "partition": "partition({0}, {1})",
    "ravel": "{0}",
    "replace": "{0}.replaceAll({1}, {2})", "rfind": "{0}.lastIndexOf({1})",
    "rstrip": "{0}.trimEnd()", "setdefault": "({0}[{1}] ??= {2})",
    "startswith": "{0}.startsWith({1})", "strip": "{0}.trim()",
    "tolist": "tolist({0})", "values": "Object.values({0})",
}  # fmt: skip
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%",
    ast.Eq: "===", ast.NotEq: "!==", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Is: "==", ast.IsNot: "!=", ast.And: "&&", ast.Or: "||",
}  # fmt: skip


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield names that statements bind, outside of functions within them."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ListComp |
                          ast.GeneratorExp):  # fmt: skip
            yield from _bound(ast.iter_child_nodes(node))


def _used(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield names in a statement that are no types, and whether it binds them."""
    if isinstance(node, ast.Name):
        yield node.id, isinstance(node.ctx, ast.Store)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in ("annotation", "returns"):
                yield from _used(child)


def _refused(what: ast.AST, node: ast.AST) -> ValueError:
    line, name = getattr(node, "lineno", 0), type(what).__name__
    return ValueError(f"[live] got {name} on line {line}; no script has that.")


class Translation(ast.NodeVisitor):
    """Statements of Python modules as a script."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.known: dict[str, ast.stmt] = {}  # what binds a name
        for statement in (node for text in sources for node in ast.parse(text).body):
            names = [*_bound([statement])]
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                names = [statement.name]
            if self.known.keys() & names:
                raise ValueError(f"[live] got {names} again; need another name.")
            self.known |= dict.fromkeys(names, statement)

    def script(self, roots: Collection[str], given: Collection[str]) -> str:
        """Return the statements that bind names, and all that they need of others.

        Args:
            roots: The names.
            given: Names that are bound elsewhere.
        """
        wanted, needed = list(roots), set[str]()
        while wanted:
            name = wanted.pop()
            if name in needed or name in given or name not in self.known:
                continue
            needed.add(name)
            names = set(_used(self.known[name]))
            wanted += [used for used, _ in names if (used, True) not in names]
        statements = dict.fromkeys(
            statement for name, statement in self.known.items() if name in needed
        )
        return "".join(
            "export " * (getattr(statement, "name", "") in roots) + self._top(statement)
            for statement in statements
        )

    def _top(self, statement: Any) -> str:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            return str(self.visit(statement))
        target = getattr(statement, "target", None) or statement.targets[0]
        return f"const {self.visit(target)} = {self.visit(statement.value)};\n"

    def generic_visit(self, node: ast.AST) -> str:
        raise _refused(node, node)

    def _all(self, nodes: Iterable[ast.AST]) -> str:
        return ", ".join(map(self.visit, nodes))

    def _block(self, nodes: Iterable[ast.stmt]) -> str:
        return f"{{\n{''.join(map(self.visit, nodes))}}}"

    # Functions and classes

    def _function(self, node: ast.FunctionDef, head: str, start: str = "") -> str:
        args = node.args
        plain, named = args.args, args.kwonlyargs
        values = [None] * (len(plain) - len(args.defaults)) + args.defaults
        both = zip([*plain, *named], [*values, *args.kw_defaults], strict=True)
        parameters = [arg.arg + (f" = {self.visit(value)}" if value else "")
                      for arg, value in both if arg.arg != "self"]  # fmt: skip
        known = {arg.arg for arg in (*plain, *named)}
        local = [name for name in dict.fromkeys(_bound(node.body)) if name not in known]
        start += f"let {', '.join(local)};\n" if local else ""
        body = "".join(map(self.visit, node.body))
        return f"{head}({', '.join(parameters)}) {{\n{start}{body}}}\n"

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        return self._function(node, f"function {node.name}")

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        fields = [field for field in node.body if isinstance(field, ast.AnnAssign)]
        names = self._all(field.target for field in fields)
        values = (
            f" = {self.visit(field.value)}" if field.value else "" for field in fields
        )
        both = zip(names.split(", "), values, strict=True)
        methods = "".join(
            self._function(method, f"{'get ' * bool(method.decorator_list)}"
                           f"{method.name}", "const self = this;\n")
            for method in node.body if isinstance(method, ast.FunctionDef)
        )  # fmt: skip
        return (
            f"class {node.name} {{\nconstructor({', '.join(map(''.join, both))}) {{\n"
            f"Object.assign(this, {{{names}}});\n}}\n{methods}}}\n"
        )

    def visit_Lambda(self, node: ast.Lambda) -> str:
        names = ", ".join(arg.arg for arg in node.args.args)
        return f"(({names}) => ({self.visit(node.body)}))"

    # Statements

    def visit_Expr(self, node: ast.Expr) -> str:
        text = isinstance(node.value, ast.Constant)
        return "" if text else f"{self.visit(node.value)};\n"

    def visit_Return(self, node: ast.Return) -> str:
        return f"return {self.visit(node.value) if node.value else ''};\n"

    def visit_Assign(self, node: ast.Assign) -> str:
        targets = "".join(f"{self.visit(target)} = " for target in node.targets)
        return f"{targets}{self.visit(node.value)};\n"

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        assert node.value
        return f"{self.visit(node.target)} = {self.visit(node.value)};\n"

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        target, value = self.visit(node.target), self.visit(node.value)
        if isinstance(node.op, ast.FloorDiv):
            return f"{target} = Math.floor({target} / {value});\n"
        return f"{target} {_SIGNS[type(node.op)]}= {value};\n"

    def visit_If(self, node: ast.If) -> str:
        more = f" else {self._block(node.orelse)}" if node.orelse else ""
        return f"if ({self._test(node.test)}) {self._block(node.body)}{more}\n"

    def visit_While(self, node: ast.While) -> str:
        return f"while ({self._test(node.test)}) {self._block(node.body)}\n"

    def visit_For(self, node: ast.For) -> str:
        target, every = self.visit(node.target), self.visit(node.iter)
        body = "".join(map(self.visit, node.body))
        if not every.startswith("enumerate("):
            return f"for ({target} of {every}) {{\n{body}}}\n"
        at, all_ = f"at{node.lineno}", f"all{node.lineno}"  # without a list of pairs
        return (
            f"const {all_} = list({every[10:-1]});\n"
            f"for (let {at} = 0; {at} < {all_}.length; {at}++) {{\n"
            f"{target} = [{at}, {all_}[{at}]];\n{body}}}\n"
        )

    def visit_Assert(self, _: ast.Assert) -> str:
        return ""

    def visit_Continue(self, _: ast.Continue) -> str:
        return "continue;\n"

    # Expressions

    def _test(self, node: ast.expr) -> str:
        """Return a condition: empty lists are false."""
        if isinstance(node, ast.BoolOp):
            sign = f" {_SIGNS[type(node.op)]} "
            return f"({sign.join(map(self._test, node.values))})"
        plain = isinstance(node, ast.Compare)
        return self.visit(node) if plain else f"truthy({self.visit(node)})"

    def visit_Constant(self, node: ast.Constant) -> str:
        return json.dumps(node.value, ensure_ascii=False)

    def visit_Name(self, node: ast.Name) -> str:
        return node.id

    def visit_Starred(self, node: ast.Starred) -> str:
        return f"...{self.visit(node.value)}"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        return f"{self.visit(node.value)}.{node.attr}"

    def visit_List(self, node: ast.List | ast.Tuple) -> str:
        return f"[{self._all(node.elts)}]"

    visit_Tuple = visit_List

    def visit_Dict(self, node: ast.Dict) -> str:
        pairs = (
            f"[{self.visit(key)}]: {self.visit(value)}" if key
            else f"...{self.visit(value)}"
            for key, value in zip(node.keys, node.values, strict=True)
        )  # fmt: skip
        return f"({{{', '.join(pairs)}}})"

    def visit_JoinedStr(self, node: ast.JoinedStr) -> str:
        parts = (
            json.dumps(part.value, ensure_ascii=False)[1:-1].replace('\\"', '"')
            if isinstance(part, ast.Constant) else self._formatted(part)
            for part in node.values
        )  # fmt: skip
        return f"`{''.join(parts)}`"

    def _formatted(self, node: Any) -> str:
        value = self.visit(node.value)
        kind = node.format_spec.values[0].value if node.format_spec else ""
        return f"${{number({value})}}" if kind == "," else f"${{{value}}}"

    def visit_IfExp(self, node: ast.IfExp) -> str:
        both = f"{self.visit(node.body)} : {self.visit(node.orelse)}"
        return f"({self._test(node.test)} ? {both})"

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self._test(node.operand)}"
        return f"-({self.visit(node.operand)})"

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        return f"({f' {_SIGNS[type(node.op)]} '.join(map(self.visit, node.values))})"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if isinstance(node.left, ast.List):
            return f"Array({right}).fill({left[1:-1]})"
        if isinstance(node.left, ast.Constant | ast.JoinedStr) and left[0] in '"`':
            return f"{left}.repeat({right})"
        if type(node.op) not in _SIGNS:
            raise _refused(node.op, node)
        return f"({left} {_SIGNS[type(node.op)]} {right})"

    def visit_Compare(self, node: ast.Compare) -> str:
        every = [self.visit(part) for part in (node.left, *node.comparators)]
        parts = []
        for at, sign in enumerate(node.ops):
            one, other = every[at : at + 2]
            if isinstance(sign, ast.In | ast.NotIn):
                no = "!" * isinstance(sign, ast.NotIn)
                parts.append(f"{no}{other}.includes({one})")
            else:
                parts.append(f"{one} {_SIGNS[type(sign)]} {other}")
        return f"({' && '.join(parts)})"

    def visit_Subscript(self, node: ast.Subscript) -> str:
        value, part = self.visit(node.value), node.slice
        if isinstance(part, ast.Slice):
            low, high = (
                self.visit(end) if end else "" for end in (part.lower, part.upper)
            )
            return f"{value}.slice({low or 0}{high and ', ' + high})"
        if isinstance(part, ast.UnaryOp):
            return f"{value}.at({self.visit(part)})"
        return f"{value}[{self.visit(part)}]"

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> str:
        first, *rest = node.generators
        found, target = f"list({self.visit(first.iter)})", self.visit(first.target)
        for test in first.ifs:
            found += f".filter(({target}) => {self._test(test)})"
        if rest:
            inner = self.visit_ListComp(ast.ListComp(node.elt, rest))
            return f"{found}.flatMap(({target}) => {inner})"
        return f"{found}.map(({target}) => ({self.visit(node.elt)}))"

    visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node: ast.Call) -> str:
        args = [self.visit(arg) for arg in node.args]
        named = {word.arg: self.visit(word.value) for word in node.keywords}
        if isinstance(node.func, ast.Attribute):
            value, name = self.visit(node.func.value), node.func.attr
            if name in _METHODS:
                return _METHODS[name].format(value, *args, "undefined")
            if node.keywords:  # attributes of an element
                pairs = ((word.arg, self.visit(word.value)) for word in node.keywords)
                words = (f"{one}: {it}" if one else f"...{it}" for one, it in pairs)
                args.append(f"{{ {', '.join(words)} }}")
            return f"{value}.{name}({', '.join(args)})"
        name, only = self.visit(node.func), node.args and node.args[0]
        if isinstance(only, ast.GeneratorExp) and name in ("any", "all"):
            (over,) = only.generators
            test = f"({self.visit(over.target)}) => {self._test(only.elt)}"
            how = "some" if name == "any" else "every"
            return f"list({self.visit(over.iter)}).{how}({test})"
        if name == "isinstance":
            plain = {"str": "string", "int": "number"}.get(args[1])
            return (f'(typeof {args[0]} === "{plain}")' if plain
                    else f'({args[0]}.is === "{args[1]}")')  # fmt: skip
        known, rest = self.known.get(name), [*named.values()] * (name != "zip")
        if isinstance(known, ast.FunctionDef) and named:
            names = [arg.arg for arg in (*known.args.args, *known.args.kwonlyargs)]
            rest = [named.get(name, "undefined") for name in names[len(args) :]]
        args += rest
        new = "new " * (isinstance(known, ast.ClassDef) or name == "Drawing")
        return f"{new}{name}({', '.join(args)})"
