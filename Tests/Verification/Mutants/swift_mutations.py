"""Makes mutants of Swift files: small faults, each in one place, by text alone.

What is mutated: bounds and counts, comparisons, terms of sums, parts of conditions, conditions as a whole,
defaults, fields that have a neighbour of the same type, early returns, and statements, which are left out or
change places. What does not compile is dropped when it is built. What traps, or asks for memory ahead, is
left alone.

All chosen mutants of a file stand in it at once: a function's body becomes a switch over the number of the
mutant that runs, with a copy of the body for each.
"""
import re
from collections import Counter
from dataclasses import dataclass

BEGIN = re.compile(
    r"\b(?:func\s+(?P<func>[^\s(<]+)|(?P<init>(?<!\.)init)[?!]?(?=[<(])|(?P<deinit>deinit)|"
    r"(?P<subscript>subscript)(?=[<(])|var\s+(?P<var>\w+)\s*:|(?P<accessor>get|set|didSet|willSet)(?=\s*(?:throws\s*)?\{))")
ACCESSORS = re.compile(r"\s*(?:@\w+\s+)*(?:(?:non)?mutating\s+)?(?:get|set|_modify|_read|didSet|willSet|yield)\b")
DECLARATIONS = re.compile(r"\b(?:func|var|let|case|init|typealias|struct|class|enum|extension|import|get|set)\b")
NAMED = re.compile(r"\b(?:(?:let|var)\s+|[(,]\s*(?:\w+ )?)(\w+)(?:: ([\w.\[\]<>?]+)| = ([A-Z]\w*|\d+|true|false)\b)")
OTHER = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",),
         "+": ("-",), "-": ("+",), "*": ("/",), "+=": ("-=",), "-=": ("+=",), "..<": ("...",), "...": ("..<",)}
WORDS = {"true": "false", "false": "true", "min": "max", "max": "min", "first": "last", "last": "first", "width": "height",
         "height": "width", "lowerBound": "upperBound", "upperBound": "lowerBound", "prefix": "suffix", "suffix": "prefix",
         "dropFirst": "dropLast", "dropLast": "dropFirst", "break": "continue", "count": "count + 1"}
ASSIGNMENT = re.compile(r"([\w.?!]+(?:\[\w+\])?[\w.?!]*) = ")
# What this system does not compile.
ELSEWHERE = re.compile(r"#if canImport\(Darwin\)(?s:.*?)#(?:else|endif)")
UNTOUCHED = re.compile(r"precondition|assert|fatalError|reserveCapacity|keepingCapacity|TemporaryAllocation|yieldProcessor|exclusivity|#if|#e")
NO_EFFECT = re.compile(r"(?:let|var|if|guard|for|while|switch|case|default|func|else|repeat|do|struct|enum|import)\b|[#@}.?:&|+)\]]")
CONTINUES = re.compile(r"\s*(?:[.?:&|+*/=<)\]}-]|else\b|where\b)")
STOPS = re.compile(r",|&&|\|\||\?\?| [?:=] |\b(?:if|guard|while|return|else|in|where|case|try|switch)\b|[{}]")


@dataclass(frozen=True)
class Mutant:
    """One text replaced by another, in the body from `body[0]` to `body[1]`, or in a default where that is None.
    `key` names it by what stands in the source and not by where."""
    file: str
    start: int
    end: int
    new: str
    body: tuple | None
    key: str


def masked(text):
    """The text with underlines for strings and blanks for comments."""
    def blank(found):
        fill = "_" if found[0][0] in '"#' else " "
        return re.sub(r"[^\n]", fill, found[0])
    return re.sub(r'#"[^\n]*?"#|"""(?s:.*?)"""|"(?:\\\((?:[^()"]|\((?:[^()]|\([^()]*\))*\)|"[^"\n]*")*\)|\\.|[^"\\\n])*"'
                  r"|//[^\n]*|/\*(?s:.*?)\*/", blank, text)


def closing(text, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return len(text) - 1


def operand_end(text, at):
    """Behind the operand that begins at `at`."""
    while at < len(text):
        if text[at] in "([":
            at = closing(text, at) + 1
        elif found := re.compile(r"\.?[\w$]+|[?!](?=[.\s,()\[\]])|[-!~&](?=[\w(])").match(text, at):
            at = found.end()
        else:
            break
    return at


def side(text, at, step, low, high, stops=STOPS):
    """The end of the part of a condition that begins at `at` and goes on by `step` within low..<high."""
    depth, opening = 0, "([" if step > 0 else ")]"
    while low <= at < high:
        character = text[at]
        if character in "()[]":
            depth += 1 if character in opening else -1
            if depth < 0:
                break
        elif depth == 0 and (found := stops.match(text, at)):
            # A word stops only where it begins.
            return at if step > 0 else found.end()
        elif depth == 0 and character == "\n":
            if not CONTINUES.match(text, at):
                break
        at += step
    return at if step > 0 else at + 1


def commute(one, other):
    """Whether both are assignments that call no function, and neither names what the other one sets."""
    targets = [ASSIGNMENT.match(statement) for statement in (one, other)]
    if not all(targets) or re.search(r"\b[a-z]\w*\(|\btry\b", one + " " + other):
        return False
    names = [re.findall(r"\w+", re.sub(r"\[.*", "", target[1]))[-1] for target in targets]
    return not re.search(rf"\b{names[0]}\b", other) and not re.search(rf"\b{names[1]}\b", one)


class Finder:
    def __init__(self, file, text):
        self.file, self.text, self.code = file, text, masked(text)
        self.found, self.body, self.function = {}, None, ""
        self.elsewhere = [found.span() for found in ELSEWHERE.finditer(text)]
        spans = [(self.code.rfind("\n", 0, start), end) for _, start, end in self.bodies()]
        # Fields and parameters, and each body's own names.
        self.names = [(name, kind or {"t": "Bool", "f": "Bool"}.get(value[0], "Int" if value.isdigit() else value),
                       next((end for start, end in spans if start < place <= end), None))
                      for place, name, kind, value in ((found.start(), found[1], found[2], found[3]) for found in NAMED.finditer(self.code))]

    def neighbours(self, end):
        """Each name's next one of the same type, in the body that ends there."""
        kinds = {}
        for name, kind, body in self.names:
            if body in (None, end):
                kinds.setdefault(kind, {})[name] = None
        return {name: (list(names) * 2)[place + 1] for names in kinds.values() if len(names) > 1 for place, name in enumerate(names)}

    def bodies(self):
        """Name and span of each outermost body."""
        end, owner = 0, ""
        for begin in BEGIN.finditer(self.code):
            if begin.start() < end:
                continue
            at = begin.end()
            while at < len(self.code) and self.code[at] not in "{}=;":
                at = closing(self.code, at) + 1 if self.code[at] in "([" else at + 1
                # In what a generic function asks of its types.
                at += 2 if self.code[at:at + 2] == "==" else 0
            if self.code[at:at + 1] != "{" or DECLARATIONS.search(self.code, begin.end(), at):
                continue
            name = next(value for value in begin.groupdict().values() if value)
            owner = owner if begin["accessor"] else name
            last = closing(self.code, at)
            if not ACCESSORS.match(self.code, at + 1):
                end = last
                yield owner, at + 1, last

    def add(self, start, end, new):
        line = self.text[self.text.rfind("\n", 0, start) + 1:self.text.find("\n", start)]
        if any(first < start < last for first, last in self.elsewhere):
            return
        if self.text[start:end] != new and not UNTOUCHED.search(line):
            self.found.setdefault((start, end, new), (self.body, self.function))

    def mutants(self):
        outside, last = [], 0
        for function, start, end in self.bodies():
            self.function = function
            outside.append((last, start))
            last = end
            self.body, self.near = (start, end), self.neighbours(end)
            self.mutate_words(start, end)
            self.mutate_operators(start, end)
            self.mutate_conditions(start, end)
            self.mutate_lines(start, end)
        self.body, self.near, self.function = None, {}, "default"
        for start, end in [*outside, (last, len(self.code))]:
            # Not those of an enumeration's cases, which are no expressions.
            for default in re.finditer(r" = (\d[\d_]*|true|false|\.\w+\(\d+\))(?=[\s,)])",
                                       re.sub(r"\bcase [^\n]*", lambda found: " " * len(found[0]), self.code[start:end])):
                self.mutate_words(start + default.start(1), start + default.end(1))
        return self.named()

    def mutate_words(self, start, end):
        for word in re.compile(r"(?<![\w$])[\w$]+").finditer(self.code, start, end):
            text, before, after = word[0], self.code[word.start() - 1], self.code[word.end():word.end() + 1]
            if text.isdigit() and (before != "." or self.code[word.start() - 3:word.start()] == "..."):
                for other in {int(text) + 1, max(int(text) - 1, 0)}:
                    self.add(*word.span(), str(other))
            elif text in WORDS and after != ":" and not (text == "count" and (before != "." or after == "(")):
                self.add(*word.span(), WORDS[text])
            elif text in self.near and after not in (":", "(") and self.code[word.start() - 4:word.start()] not in ("let ", "var "):
                self.add(*word.span(), self.near[text])

    def mutate_operators(self, start, end):
        for found in re.compile(r"(?<=\s)([-+*/<>=!&|]+)(?=\s)|\.\.[.<]").finditer(self.code, start, end):
            operator, at, behind = found[0], found.start(), found.end()
            for other in OTHER.get(operator, ()):
                self.add(at, behind, other)
            if operator in ("+", "-"):
                self.add(at - 1, operand_end(self.code, behind + 1), "")
            elif operator in ("&&", "||"):
                left, right = side(self.code, at - 1, -1, start, end), side(self.code, behind, 1, start, end)
                self.add(left + len(re.match(r"\s*", self.code[left:])[0]), behind + 1, "")
                self.add(at - 1, right, "")
        for found in re.compile(r"(?<=[\s(\[{,])!(?=[\w(])").finditer(self.code, start, end):
            self.add(*found.span(), "")
        for found in re.compile(r" \? ").finditer(self.code, start, end):
            left = side(self.code, found.start() - 1, -1, start, end, re.compile(r",|\?\?| [?:=] |\b(?:return|switch|if|guard|in)\b|[{}]"))
            left += len(re.match(r"\s*", self.code[left:])[0])
            self.add(left, found.start(), f"!({self.text[left:found.start()]})")

    def mutate_conditions(self, start, end):
        for found in re.compile(r"\b(if|guard|while)\s+").finditer(self.code, start, end):
            parts, at = [found.end()], found.end()
            while at < end and self.code[at] != "{" and not self.code.startswith(" else", at):
                if self.code[at] in "([":
                    at = closing(self.code, at)
                elif self.code[at] == ",":
                    parts.append(at + 1)
                at += 1
            for place, part in enumerate(parts):
                part += len(re.match(r"\s*", self.code[part:])[0])
                last = parts[place + 1] - 1 if place + 1 < len(parts) else at
                condition = self.text[part:last].rstrip()
                # One that is a comparison alone is negated as such.
                if not re.match(r"(?:let|var|case|#)", condition) and not re.fullmatch(r"[^&|?]*[!=]= [^&|?]*", condition):
                    self.add(part, part + len(condition), f"!({condition})")
                if len(parts) > 1:
                    self.add(part if place == 0 else parts[place] - 1, parts[1] if place == 0 else part + len(condition), "")

    def mutate_lines(self, start, end):
        """Leaves out statements of a line, and exchanges two effects that follow each other."""
        depth, before = 0, None
        for line in re.compile(r"[^\n]+").finditer(self.code, start, end):
            code, text = line[0].strip(), line[0]
            is_statement = depth == 0 and code and not CONTINUES.match(self.code, line.end()) and (
                not NO_EFFECT.match(code) or (re.match(r"(?:if|guard|for|while)\b.*\}$", code) is not None))
            change = sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
            depth += sum(map(text.count, "([")) - sum(map(text.count, ")]"))
            if not is_statement or change != 0 or re.search(r"[,(=+&|]$", code):
                before = None
                continue
            first = line.start() + len(text) - len(text.lstrip())
            span = (first, line.start() + len(text.rstrip()))
            self.add(*span, "")
            is_effect = not re.match(r"(?:return|throw|break|continue|defer|if|guard|for|while)\b", code)
            if before and is_effect and self.column(before[0]) == self.column(first):
                earlier, later = self.text[before[0]:before[1]], self.text[span[0]:span[1]]
                if not commute(self.code[before[0]:before[1]], self.code[span[0]:span[1]]):
                    self.add(before[0], span[1], later + self.text[before[1]:span[0]] + earlier)
            before = span if is_effect else None

    def column(self, at):
        return at - self.text.rfind("\n", 0, at)

    def named(self):
        mutants, seen = [], Counter()
        for (start, end, new), (body, function) in sorted(self.found.items(), key=lambda item: item[0]):
            line = self.text[self.text.rfind("\n", 0, start) + 1:self.text.find("\n", start)]
            key = " ".join(f"{self.file.split('/')[-1]} | {function} | {line} | {self.text[start:end]} -> {new or 'nothing'}".split())
            seen[key] += 1
            mutants.append(Mutant(self.file, start, end, new, body, key + (f" #{seen[key]}" if seen[key] > 1 else "")))
        return mutants


def mutants_of(file, text):
    return Finder(file, text).mutants()


def schema(text, mutants, site):
    """The text with its mutants, pairs of number and mutant, at places that are numbered from `site` on; the lines of each
    mutant and of each place, as (place, first line, last line, numbers); and the next place's number."""
    places = {}
    for number, mutant in mutants:
        places.setdefault(mutant.body or (mutant.start, mutant.end), []).append((number, mutant))
    written, lines, last = "", [], 0
    for (start, end), its in sorted(places.items()):
        written += text[last:start]
        first, own = written.count("\n") + 1, []
        if its[0][1].body is None:
            choice = text[start:end]
            for number, mutant in its:
                choice = f"(settleMutant({site}) == {number} ? {mutant.new} : {choice})"
            written += choice
        else:
            written += f" switch settleMutant({site}) {{\n"
            for number, mutant in its:
                begun = written.count("\n") + 1
                written += f"case {number}:\n{text[start:mutant.start]}{mutant.new}{text[mutant.end:end]}\n"
                # An empty case is none.
                written += "()\n" if not masked(text[start:mutant.start] + mutant.new + text[mutant.end:end]).strip() else ""
                own.append((site, begun, written.count("\n"), [number]))
            written += f"default:\n{text[start:end]}\n}}"
        lines += [*own, (site, first, written.count("\n") + 1, [number for number, _ in its])]
        last, site = end, site + 1
    return written + text[last:], lines, site
