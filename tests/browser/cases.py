"""What must hold of the page. Each case opens it anew, and fails by itself."""

import json
import re
import subprocess
import time

import reports
from chromium import PATIENCE

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


class Wrong(AssertionError):
    """The page does not do what it should."""


def expect(holds, what):
    if not holds:
        raise Wrong(what)


def same(actual, expected, what):
    expect(actual == expected, f"{what}: {actual!r} instead of {expected!r}")


# ---- what a reader sees ------------------------------------------------------------------------------------------

FOUND = "document.getElementById('found').textContent"
ITEMS = "document.querySelectorAll('#list li')"
CLICKABLE = {
    "clear": "document.querySelector('#filters button[type=reset]')",
    "more": "document.getElementById('more')",
}


def box(value):
    return f"document.querySelector('#filters input[value={value}]')"


def facet(title, name):
    """The button of a name in one of the tables of counts."""
    tables = f"[...document.querySelectorAll('#counts section')].find(s => s.querySelector('h2').textContent === {json.dumps(title)})"
    return f"[...{tables}.querySelectorAll('button.link')].find(b => b.textContent === {json.dumps(name)})"


def numbers(tab, title):
    """A table of counts as it is shown."""
    rows = f"[...document.querySelectorAll('#counts section:not([hidden])')].filter(s => s.querySelector('h2').textContent === {json.dumps(title)})"
    cells = f"{rows}.flatMap(s => [...s.querySelectorAll('tbody tr')].map(r => [r.querySelector('button').textContent, r.lastChild.textContent]))"
    return [(name, int(count.replace(",", ""))) for name, count in tab.ask(cells)]


def wait(tab, expression, what):
    until = time.monotonic() + PATIENCE
    while not tab.ask(expression):
        expect(time.monotonic() < until, f"waited in vain: {what}")
        tab.browser.pump(0.02)


def settled(tab):
    """Comes back once the page has taken in what was typed."""
    tab.ask("new Promise(done => setTimeout(() => requestAnimationFrame(() => done(1)), 160))")


def all_of(made):
    return sorted(made["violations"] + made["suppressed"], key=lambda one: (one["file_path"], one["line_number"] or 0, one["column"] or 0, one["rule_id"]))


def chosen(made, search="", path=None, contract=None, severities=("error", "warning"), states=("open",)):
    """What must be found, worked out from the report alone."""
    def fits(one):
        text = " ".join([one["file_path"], one["rule_id"], one["message"], one["matched_text"] or ""]).lower()
        return (all(word in text for word in search.lower().split()) and (path is None or path(one["file_path"]))
                and contract in (None, one["rule_id"]) and one["severity"] in severities and one["state"] in states)
    return [one for one in all_of(made) if fits(one)]


def shows(tab, made, expected, what):
    """The page shows these violations and counts them."""
    settled(tab)
    total = len(all_of(made))
    label = {0: "No violation matches these filters.", total: f"{total} violations"}.get(len(expected), f"{len(expected)} of {total} violations")
    same(tab.ask(FOUND), label, f"{what}: the count")
    place = lambda one: f"{one['line_number']}:{one['column']}" if one["line_number"] else "file"
    items = tab.ask(f"[...{ITEMS}].map(i => [i.closest('section').querySelector('h3').textContent, i.querySelector('.place').textContent, i.querySelector('code').textContent])")
    same(items, [[one["file_path"], place(one), one["rule_id"]] for one in expected], f"{what}: the list")
    for title, key in [("By contract", lambda one: one["rule_id"]), ("By file", lambda one: one["file_path"]),
                       ("By directory", lambda one: one["file_path"].rpartition("/")[0] + "/" if "/" in one["file_path"] else "./")]:
        counts = {}
        for one in expected:
            counts[key(one)] = counts.get(key(one), 0) + 1
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        same(numbers(tab, title), ranked[:10], f"{what}: {title}")


def is_quiet(tab, page):
    """Nothing went wrong, and nothing was asked of anybody."""
    same([one["exceptionDetails"]["text"] for one in tab.events("Runtime.exceptionThrown")], [], "exceptions")
    same([one["args"] for one in tab.events("Runtime.consoleAPICalled")], [], "words on the console")
    same([one["entry"]["text"] for one in tab.events("Log.entryAdded")], [], "entries of the log")
    same([one["message"] for one in tab.events("Page.javascriptDialogOpening")], [], "dialogs")
    asked = [one["request"]["url"].split("#")[0].split("?")[0] for one in tab.events("Network.requestWillBeSent")]
    same({url for url in asked if url != "data:,"}, {page.resolve().as_uri()}, "requests")


# ---- cases -------------------------------------------------------------------------------------------------------

@case
def opens_and_asks_nobody(world):
    for name in ["sample", "trend", "empty", "one"]:
        page = world.page(name)
        with world.tab() as tab:
            tab.open(page)
            settled(tab)
            is_quiet(tab, page)
            expect(tab.ask(f"{FOUND}.length") > 0, f"{name}: no count")


@case
def allows_nothing_but_itself(world):
    page = world.page("sample")
    with world.tab() as tab:
        tab.open(page)
        policy = tab.ask("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
        expect(policy.startswith("default-src 'none';") and "unsafe" not in policy and "*" not in policy and "http" not in policy, f"the policy is loose: {policy}")
        tab.ask("""(async () => {
          window.refused = [];
          document.addEventListener('securitypolicyviolation', e => refused.push(e.effectiveDirective));
          const add = (name, set) => { const e = document.createElement(name); set(e); document.body.append(e); };
          add('script', e => { e.textContent = 'window.hacked = 1'; });
          add('script', e => { e.src = 'https://example.com/x.js'; });
          add('img', e => { e.src = 'https://example.com/x.png'; });
          add('style', e => { e.textContent = 'body { background: red }'; });
          add('iframe', e => { e.src = 'https://example.com/'; });
          add('b', e => { e.setAttribute('onclick', 'window.hacked = 2'); e.click(); });
          add('a', e => { e.href = 'javascript:window.hacked=3'; e.click(); });
          await fetch('https://example.com/').catch(() => 0);
          try { (0, eval)('window.hacked = 4'); } catch {}
          try { navigator.sendBeacon('https://example.com/'); } catch {}
          await new Promise(done => setTimeout(done, 200));
        })()""")
        same(tab.ask("window.hacked"), None, "a script from elsewhere")
        refused = set(tab.ask("refused"))
        wanted = {"script-src-elem", "script-src-attr", "img-src", "style-src-elem", "frame-src", "connect-src"}
        expect(wanted <= refused, f"not refused: {sorted(wanted - refused)}")
        left = [one["request"]["url"] for one in tab.events("Network.responseReceived") if "request" in one]
        same([url for url in left if "example.com" in url], [], "answers from elsewhere")


@case
def search_by_keyboard(world):
    made, page = reports.sample(), world.page("sample")
    with world.tab() as tab:
        tab.open(page)
        shows(tab, made, chosen(made), "at first")
        tab.press("/")
        same(tab.ask("document.activeElement.id"), "search", "where / leads")
        tab.type("EVAL src/")
        shows(tab, made, chosen(made, "eval src/"), "two words")
        tab.ask("void (window.stayed = true)")
        tab.press("Enter")
        shows(tab, made, chosen(made, "eval src/"), "after Enter")
        same(tab.ask("window.stayed"), True, "Enter stays on the page")
        same(tab.ask("document.activeElement.id"), "search", "focus after Enter")
        tab.press("Escape")
        same(tab.ask("document.getElementById('search').value"), "", "the search after Escape")
        shows(tab, made, chosen(made), "after Escape")
        tab.type("call_7(")
        expected = chosen(made, "call_7(")
        same(len(expected), 1, "the case itself")
        shows(tab, made, expected, "a line")
        tab.press("Backspace", 7)
        tab.press("/")
        same(tab.ask("document.getElementById('search').value"), "/", "a slash inside the search")
        tab.type("no such thing")
        shows(tab, made, [], "nothing")
        same(tab.ask("document.getElementById('clear').hidden"), False, "the way out of nothing")
        is_quiet(tab, page)


@case
def filters_by_keyboard(world):
    made, page = reports.sample(), world.page("sample")
    ids = sorted({one["rule_id"] for one in all_of(made)})
    with world.tab() as tab:
        tab.open(page)
        order = []
        for _ in range(40):
            tab.press("Tab")
            at = tab.ask("""(() => { const e = document.activeElement, s = getComputedStyle(e);
              return [e.id || e.value || e.textContent, e.tagName, e.matches(':focus-visible') && s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]; })()""")
            expect(at[2] or at[1] == "BODY", f"focus cannot be seen: {at}")
            order.append(at[0])
        wanted = ["gap-summary", "search", "path", "contract", "error", "warning", "open", "ignored", "existing", "baselined", "Clear filters", "path"]
        same(order[:len(wanted)], wanted, "the order of Tab")
        focus = lambda name: tab.ask(f"document.getElementById('{name}').focus()")

        focus("path")
        tab.type("src/DEEP")
        shows(tab, made, chosen(made, path=lambda path: "src/deep" in path), "a part of a path")
        tab.press("Escape")
        tab.type("app.py")
        shows(tab, made, chosen(made, path=lambda path: path == "app.py"), "a file")
        tab.press("Escape")
        tab.type("src/*")
        shows(tab, made, chosen(made, path=lambda path: path.rpartition("/")[0] == "src"), "a directory")
        tab.press("Escape")
        shows(tab, made, chosen(made), "any path")

        tab.press("Tab")
        same(tab.ask("document.activeElement.id"), "contract", "after the path")
        tab.press("ArrowDown", 2)
        shows(tab, made, chosen(made, contract=ids[1]), "the second contract")
        tab.press("Tab", 2)
        tab.press(" ")
        shows(tab, made, chosen(made, contract=ids[1], severities=["error"]), "and errors only")
        tab.press("Tab", 2)
        tab.press(" ")
        tab.press("Tab", 2)
        tab.press(" ")
        states = ["open", "ignored", "baselined"]
        shows(tab, made, chosen(made, contract=ids[1], severities=["error"], states=states), "and more states")
        focus("search")
        tab.type("call")
        shows(tab, made, chosen(made, "call", contract=ids[1], severities=["error"], states=states), "and a word")
        focus("contract")
        tab.press("ArrowUp", 2)
        shows(tab, made, chosen(made, "call", severities=["error"], states=states), "any contract")
        tab.press("Tab")
        tab.press(" ")
        shows(tab, made, [], "no severity at all")
        for _ in range(6):
            tab.press("Tab")
        same(tab.ask("document.activeElement.textContent"), "Clear filters", "the last control")
        tab.press("Enter")
        shows(tab, made, chosen(made), "cleared")

        # The order comes between the filters and the tables.
        tab.press("Tab", 2)
        first = tab.ask("document.activeElement.textContent")
        tab.press("Enter")
        shows(tab, made, chosen(made, contract=first), "a name in the table")
        same(tab.ask("[document.activeElement.textContent, document.activeElement.ariaPressed]"), [first, "true"], "focus stays")
        tab.press(" ")
        shows(tab, made, chosen(made), "and once more")
        same(tab.ask("document.activeElement.ariaPressed"), "false", "released")
        is_quiet(tab, page)


@case
def filters_by_mouse(world):
    made, page = reports.sample(), world.page("sample")
    with world.tab() as tab:
        tab.open(page)
        tab.click("document.getElementById('search')")
        tab.type("print")
        shows(tab, made, chosen(made, "print"), "a word")
        tab.click(box("warning"))
        shows(tab, made, chosen(made, "print", severities=["error"]), "errors")
        tab.click(f"{box('ignored')}.closest('label')")
        shows(tab, made, chosen(made, "print", severities=["error"], states=["open", "ignored"]), "by a label")
        tab.click(CLICKABLE["clear"])
        shows(tab, made, chosen(made), "cleared")
        for title, name, path in [("By directory", "src/", lambda path: path.rpartition("/")[0] == "src"), ("By directory", "./", lambda path: "/" not in path),
                                  ("By file", "src/b.py", lambda path: path == "src/b.py")]:
            count = dict(numbers(tab, title))[name]
            tab.click(facet(title, name))
            expected = chosen(made, path=path)
            same(len(expected), count, f"{name}: the number beside it")
            shows(tab, made, expected, name)
            tab.click(facet("By contract", "no-print"))
            shows(tab, made, chosen(made, path=path, contract="no-print"), f"{name} and a contract")
            tab.click(facet("By contract", "no-print"))
            tab.click(facet(title, name))
            shows(tab, made, chosen(made), f"without {name}")
        tab.click("document.getElementById('search')")
        tab.type("no such thing")
        shows(tab, made, [], "nothing")
        tab.click("document.getElementById('clear')")
        shows(tab, made, chosen(made), "all again")
        is_quiet(tab, page)


@case
def address_keeps_filters(world):
    made, page = reports.sample(), world.page("sample")
    with world.tab() as tab:
        tab.open(page)
        same(tab.ask("location.hash"), "", "the address at first")
        tab.click("document.getElementById('search')")
        tab.type("print src")
        tab.click(box("ignored"))
        tab.click(box("error"))
        expected = chosen(made, "print src", severities=["warning"], states=["open", "ignored"])
        shows(tab, made, expected, "before")
        tab.reload()
        shows(tab, made, expected, "after a reload")
        tab.ask("void (location.hash = '#contract=no-eval')")
        shows(tab, made, chosen(made, contract="no-eval"), "another address")
        tab.click(CLICKABLE["clear"])
        shows(tab, made, chosen(made), "cleared")
        expect("#" not in tab.ask("location.href"), "the address is left as it was")
        tab.open(page, "?x=1#search=eval&severity=none")
        shows(tab, made, [], "a link with nothing to show")
        is_quiet_but_query = [one["entry"]["text"] for one in tab.events("Log.entryAdded")]
        same(is_quiet_but_query, [], "entries of the log")


@case
def long_lists_come_in_steps(world):
    made, page = reports.many(1000), world.page("thousand")
    with world.tab() as tab:
        tab.open(page)
        settled(tab)
        same(tab.ask(FOUND), "1,000 violations", "the count")
        same(tab.ask(f"{ITEMS}.length"), 200, "the first step")
        same(tab.ask("document.getElementById('more').textContent"), "Show 200 more of 800", "the button")
        tab.ask("document.getElementById('more').focus()")
        tab.press("Enter")
        same(tab.ask(f"{ITEMS}.length"), 400, "the second step")
        same(tab.ask(f"[...{ITEMS}].indexOf(document.activeElement)"), 200, "focus is on the first new one")
        for _ in range(3):
            tab.click(CLICKABLE["more"])
        same(tab.ask(f"{ITEMS}.length"), 1000, "all of them")
        same(tab.ask("document.getElementById('more').hidden"), True, "the button at the end")
        places = tab.ask("[...document.querySelectorAll('#list section')].map(s => [s.querySelector('h3').textContent, s.querySelectorAll('li').length])")
        wanted = {}
        for one in all_of(made):
            wanted[one["file_path"]] = wanted.get(one["file_path"], 0) + 1
        same(places, [list(item) for item in wanted.items()], "each file has one heading")
        button = "[...document.querySelectorAll('#counts section')][2].querySelector('button.more')"
        same(tab.ask(f"{button}.textContent"), "Show 10 more", "more files")
        tab.click(button)
        same(len(numbers(tab, "By file")), 20, "all files")
        is_quiet(tab, page)


@case
def shows_date_and_commit(world):
    shown = "document.getElementById('provenance').textContent"
    with world.tab() as tab:
        tab.open(world.page("marked"))
        same(tab.ask(shown), "2026-01-01 01:02 UTC, main at 0123abcdef", "a branch")
        same(tab.ask("document.querySelector('#provenance time').dateTime"), "2026-01-01T01:02:03.000Z", "the time for programs")
        tab.open(world.page("detached"))
        same(tab.ask(shown), "2026-01-01 01:02 UTC, commit 0123abcdef", "no branch")
        tab.open(world.page("sample"))
        same(tab.ask("document.getElementById('provenance').checkVisibility()"), False, "nothing is known of a JSON report")


@case
def marks_matches(world):
    page = world.page("marked")
    expected = ["print", "print", "print", "print(" + "c" * 494, "AKIA************", "print"]
    with world.tab() as tab:
        tab.open(page)
        same(tab.ask("[...document.querySelectorAll('#list mark')].map(m => [m.closest('li').querySelector('.place').textContent, m.textContent]).sort().map(m => m[1])"), expected, "what is marked")
        lines = dict(tab.ask("[...document.querySelectorAll('#list li')].map(l => [parseInt(l.querySelector('.place').textContent), l.querySelector('pre').textContent])"))
        same(lines[1], reports.MARKED[0][0], "a short line")
        same(lines[3], "…" + "a" * 100 + "print()" + "b" * 290, "a long line starts near its match")
        same(lines[4], "print(" + "c" * 494 + "…", "a long match is cut")
        seen = tab.ask("(() => { const s = getComputedStyle(document.querySelector('mark')), p = getComputedStyle(document.querySelector('pre')); return s.backgroundColor !== p.backgroundColor && s.fontWeight > p.fontWeight; })()")
        same(seen, True, "a mark differs by more than colour")
        is_quiet(tab, page)


@case
def errors_first_on_request(world):
    made, page = reports.sample(), world.page("sample")
    first = lambda ones: sorted(ones, key=lambda one: one["severity"] != "error")
    severities = "[...document.querySelectorAll('#list .tag.error, #list .tag.warning')].map(t => t.textContent)"
    with world.tab() as tab:
        tab.open(page)
        same(tab.ask("document.querySelector('#orders input:checked').value"), "path", "the order at first")
        tab.ask("document.querySelector('#orders input').focus()")
        tab.press("ArrowDown")
        shows(tab, made, first(chosen(made)), "errors first")
        same(tab.ask(severities), sorted(tab.ask(severities)), "the severities")
        same(tab.ask("location.hash"), "#order=errors", "the address")
        tab.reload()
        shows(tab, made, first(chosen(made)), "after a reload")
        tab.click("document.getElementById('search')")
        tab.type("print")
        shows(tab, made, first(chosen(made, "print")), "with a filter")
        tab.click(CLICKABLE["clear"])
        shows(tab, made, first(chosen(made)), "an order is no filter")
        tab.click("document.querySelector('#orders label')")
        shows(tab, made, chosen(made), "by path again")
        same(tab.ask("location.hash"), "", "the address of the usual order")
        same([label for role, label, _ in tree_of(tab) if role in ("radio", "radiogroup", "group") and label], ["Severity", "State", "Order", "by path", "errors first"], "its names")
        is_quiet(tab, page)
        tab.open(world.page("one"))
        same(tab.ask("document.getElementById('orders').checkVisibility()"), False, "one severity has no order")


@case
def fix_is_offered_once(world):
    made, page = reports.sample(), world.page("sample")
    shown = "document.getElementById('fixable').textContent"
    signs = "document.querySelectorAll('#list .fix').length"
    fixes = lambda ones: sum("fix" in one and one["state"] != "baselined" for one in ones)
    with world.tab() as tab:
        tab.open(page)
        count = fixes(chosen(made))
        expect(count > 3, "the case itself")
        same(tab.ask(shown), f"{count} of {len(chosen(made))} can be fixed: phaser fix --all", "the command")
        same(tab.ask(signs), count, "a sign for each")
        same(tab.ask("document.body.innerText.match(/phaser fix/g).length"), 1, "how often the command is there")
        for name in ["ignored", "existing", "baselined"]:
            tab.click(box(name))
        settled(tab)
        same(tab.ask(signs), fixes(all_of(made)), "phaser fix skips the baseline")
        tab.click("document.getElementById('search')")
        tab.type("no such thing")
        settled(tab)
        same(tab.ask("document.getElementById('fixable').checkVisibility()"), False, "nothing to fix")
        is_quiet(tab, page)


CONTRAST = """(() => {
  const channel = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return { rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1 }; };
  const light = rgb => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.alpha > 0) return c.rgb; } return null; };
  const low = [];
  let seen = 0;
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ['SCRIPT', 'NOSCRIPT', 'OPTION'].includes(e.tagName)) continue;
    const style = getComputedStyle(e), back = behind(e);
    const name = `${e.tagName} ${e.className.baseVal ?? e.className} ${e.textContent.slice(0, 20)}`;
    if ([...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.tagName === 'SELECT') {
      seen += 1;
      const text = parse(e instanceof SVGElement ? style.fill : style.color).rgb;
      if (ratio(text, back) < 4.5) low.push([name, ratio(text, back)]);
    }
    // What is needed to find a control, or to read the chart.
    if (['INPUT', 'SELECT'].includes(e.tagName) && e.type !== 'checkbox' || e.matches('button.plain')) {
      if (ratio(parse(style.borderTopColor).rgb, behind(e.parentElement)) < 3) low.push([name + ' border', 0]);
    }
    if (e.matches('svg .line') && ratio(parse(style.stroke).rgb, back) < 3) low.push([name + ' line', 0]);
  }
  return { low, seen, back: behind(document.body) };
})()"""


def colours(world, scheme, is_page):
    with world.tab(scheme=scheme) as tab:
        tab.open(world.page("trend"))
        tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        tab.click(facet("By contract", "no-print"))
        settled(tab)
        answer = tab.ask(CONTRAST)
        same(answer["low"], [], f"{scheme}: too little contrast")
        expect(answer["seen"] > 80, f"{scheme}: only {answer['seen']} texts")
        expect(is_page(answer["back"]), f"{scheme}: the page is {answer['back']}")
        tab.ask("document.getElementById('search').focus()")
        tab.press("Tab")
        outline = tab.ask("getComputedStyle(document.activeElement).outlineColor")
        tab.open(world.page("marked"))
        expect(tab.ask("document.querySelectorAll('mark').length") > 3, f"{scheme}: nothing is marked")
        same(tab.ask(CONTRAST)["low"], [], f"{scheme}: too little contrast of marks")
        expect(outline not in ("", tab.ask("getComputedStyle(document.body).backgroundColor")), "the outline cannot be seen")


@case
def light_has_contrast(world):
    colours(world, "light", lambda back: min(back) > 230)


@case
def dark_has_contrast(world):
    colours(world, "dark", lambda back: max(back) < 50)


def stays_text(tab, page, what):
    settled(tab)
    is_quiet(tab, page)
    same(tab.ask("window.hacked"), None, f"{what}: a script")
    same(tab.ask("document.querySelectorAll('script').length"), 2, f"{what}: scripts")
    same(tab.ask("[...document.querySelectorAll('img, iframe, a, base, object, embed, b, video, audio, template, body style, meta:not(head *)')].map(e => e.outerHTML)"), [], f"{what}: elements")
    same(tab.ask("[...document.querySelectorAll('form')].length"), 1, f"{what}: forms")
    attributes = "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes].filter(a => a.name.startsWith('on') || ['href', 'src', 'srcdoc', 'action'].includes(a.name) && a.value !== 'data:,').map(a => a.name + '=' + a.value))"
    same(tab.ask(attributes), [], f"{what}: attributes that act")
    acting = r"document.body.innerText.match(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g)"
    same(tab.ask(acting), None, f"{what}: characters that act")
    kinds = "[...new Set([...document.querySelectorAll('#list *')].map(e => e.tagName))].sort()"
    same(set(tab.ask(kinds)) - {"SECTION", "H3", "OL", "LI", "SPAN", "DIV", "CODE", "PRE", "MARK"}, set(), f"{what}: elements of the list")


def spelled(text, one_line=True):
    acts = r"[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff" + (r"\t\n]" if one_line else "]")
    return re.sub(acts, lambda match: f"\\u{{{ord(match.group()):x}}}", text)


@case
def hostile_reports_stay_text(world):
    made, page = reports.hostile(), world.page("hostile")
    with world.tab() as tab:
        tab.open(page)
        tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        tab.click(box("ignored"))
        stays_text(tab, page, "the report")
        headings = tab.ask("[...document.querySelectorAll('#list h3')].map(h => h.textContent)")
        messages = tab.ask("[...document.querySelectorAll('#list .message')].map(h => h.textContent)")
        lines = tab.ask("[...document.querySelectorAll('#list pre')].map(h => h.textContent)")
        options = tab.ask("[...document.querySelectorAll('#contract option')].map(o => o.textContent)")
        for name, text in reports.EVIL.items():
            expect(spelled(f"src/{text}/{text}.py") in headings, f"{name}: its path is not shown as it is")
            expect(spelled(text, one_line=False) in messages, f"{name}: its message is not shown as it is")
            expect(spelled(text) in options, f"{name}: its id is not shown as it is")
            shown = text if len(text) <= 500 else text[:500]
            expect(spelled(shown, one_line=False) + ("…" if len(text) > 500 else "") in lines, f"{name}: its line is not shown as it is")
        same(tab.ask("document.title"), spelled(reports.EVIL["script"]) + ": phaser report", "the title")
        for title in ["By contract", "By file", "By directory"]:
            for button in range(0, 40, 7):
                pick = f"[...document.querySelectorAll('#counts section')].find(s => s.querySelector('h2').textContent === '{title}').querySelectorAll('button.link')[{button}]"
                if tab.ask(f"Boolean({pick})"):
                    tab.ask(f"{pick}.click()")
                    expect(tab.ask(f"{ITEMS}.length") > 0, f"{title}, number {button}: nothing is found by it")
                    stays_text(tab, page, f"{title}, number {button}")
                    tab.ask(f"document.getElementById('filters').reset()")
                    settled(tab)
                    tab.ask(f"{box('ignored')}.click()")
        for text in reports.EVIL.values():
            tab.ask(f"(() => {{ const s = document.getElementById('search'); s.value = {json.dumps(text[:2000])}; s.dispatchEvent(new Event('input')); }})()")
            stays_text(tab, page, f"a search for {text[:20]!r}")


@case
def hostile_addresses_stay_text(world):
    from urllib.parse import quote
    page = world.page("sample")
    with world.tab() as tab:
        for at, text in enumerate(reports.EVIL.values()):
            names = ["search", "path", "contract", "severity", "state", "order", "x"]
            tab.open(page, f"?{at}#" + "&".join(f"{name}={quote(text[:300])}" for name in names))
            stays_text(tab, page, f"an address with {text[:20]!r}")


@case
def hostile_trees_and_histories_stay_text(world):
    for name in ["tree", "hostile-trend", "hostile-commit", "hostile-decisions"]:
        page = world.page(name)
        with world.tab() as tab:
            tab.open(page)
            tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            settled(tab)
            stays_text(tab, page, name)
            expect(tab.ask(f"{ITEMS}.length") > 0, f"{name}: nothing is shown")
            if name == "tree":
                paths = tab.ask("[...document.querySelectorAll('#list h3')].map(h => h.textContent)")
                expect("</script><script>alert(1).py" in paths, f"its paths are {paths}")


@case
def none_and_one(world):
    with world.tab() as tab:
        tab.open(world.page("empty"))
        same(tab.ask(FOUND), "No violations.", "the count of none")
        same(tab.ask("document.getElementById('filters').checkVisibility()"), False, "filters for nothing")
        same(tab.ask("document.getElementById('counts').checkVisibility()"), False, "tables of nothing")
        same(tab.ask("[...document.querySelectorAll('#totals li')].map(l => l.textContent)"), ["0errors", "0warnings"], "totals of none")
        tab.press("/")
        same(tab.ask("document.activeElement.tagName"), "BODY", "there is nothing to search")
        tab.open(world.page("one"))
        same(tab.ask(FOUND), "1 violation", "the count of one")
        same(tab.ask("[...document.querySelectorAll('#totals li')].map(l => l.textContent)"), ["1error", "0warnings"], "totals of one")
        same(tab.ask(f"{ITEMS}.length"), 1, "the list of one")
        same(tab.ask("document.getElementById('states').checkVisibility()"), False, "one state is no choice")


@case
def a_hundred_thousand(world):
    page = world.page("huge")
    with world.tab() as tab:
        start = time.monotonic()
        tab.open(page)
        wait(tab, f"{FOUND} === '100,000 violations'", "the count")
        tab.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        opened = time.monotonic() - start
        paint = tab.ask("performance.getEntriesByName('first-contentful-paint')[0]?.startTime") or 0
        same(tab.ask(f"{ITEMS}.length"), 200, "as many as are shown at once")
        start = time.monotonic()
        tab.press("/")
        tab.type("unique4711")
        # 4711 and 47110 to 47119.
        wait(tab, f"{FOUND} === '11 of 100,000 violations'", "the search")
        searched = time.monotonic() - start
        start = time.monotonic()
        tab.press("Escape")
        tab.click(box("warning"))
        wait(tab, f"{FOUND} === '60,000 of 100,000 violations'", "the filter")
        filtered = time.monotonic() - start
        is_quiet(tab, page)
        world.note(f"100,000 violations, {page.stat().st_size / 1e6:.1f} MB: first paint {paint / 1000:.2f} s, opened and counted {opened:.2f} s, "
                  f"searched {searched:.2f} s, filtered {filtered:.2f} s")
        expect(max(opened, searched, filtered) < 10, f"too slow: {opened:.1f} s, {searched:.1f} s, {filtered:.1f} s")


def on_paper(tab, world, name):
    """The words on paper, without blanks, and those that a page cuts off, or shrinks until they fit."""
    path = world.work / f"{name}.pdf"
    path.write_bytes(tab.paper())
    boxes = subprocess.run(["pdftotext", "-bbox", str(path), "-"], capture_output=True, text=True, check=True).stdout
    width = float(re.search(r'<page width="([\d.]+)"', boxes).group(1))
    words = [(*map(float, word[:4]), word[4]) for word in re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', boxes)]
    bad = [word for left, _, right, _, word in words if left < 0 or right > width]
    # A heading is 12 points high or more.
    highest = max((bottom - top for _, top, _, bottom, word in words if word in ("Violations", "Over")), default=0)
    bad += [f"a heading of {highest:.1f} points"] if highest < 12 else []
    text = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True).stdout
    return re.sub(r"\s", "", text), bad


@case
def paper_has_everything(world):
    made = reports.sample()
    with world.tab(scheme="dark") as tab:
        tab.open(world.page("trend"))
        text, cut = on_paper(tab, world, "trend")
        same(cut, [], "words that are cut off or shrunk")
        for one in chosen(made):
            for part in [one["file_path"], one["message"], one["rule_id"], one["matched_text"] or "", f"{one['line_number']}:{one['column']}" if one["line_number"] else ""]:
                expect(re.sub(r"\s", "", part) in text, f"not on paper: {part}")
        for part in ["Overtime", "larger than 10 MB", "Bycontract", "Bydirectory", "Byfile", "2026-01-01", "a project"]:
            expect(part.replace(" ", "") in text, f"not on paper: {part}")
        for part in ["Clear filters", "press / to focus", "Show all open"]:
            expect(part.replace(" ", "") not in text, f"on paper: {part}")
        same(tab.ask("document.getElementById('gaps').open"), False, "folded again after printing")
        tab.click(facet("By contract", "no-eval"))
        settled(tab)
        text, _ = on_paper(tab, world, "filtered")
        expect("contract:no-eval" in text, "the filter is not on paper")
        expect("Makeanissueofit." not in text, "what is filtered out is on paper")
        tab.media("print", "dark")
        back, front = tab.ask("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
        same((back, front), ("rgb(255, 255, 255)", "rgb(28, 33, 40)"), "colours on paper")
        tab.open(world.page("thousand"))
        text, cut = on_paper(tab, world, "thousand")
        same(cut, [], "words that are cut off or shrunk")
        missing = [at for at in range(1000) if f"unique{at}x" not in text]
        same(missing, [], "violations that are not on paper")
        expect("Show200more" not in text, "a button is on paper")
        same(tab.ask(f"{ITEMS}.length"), 200, "as many as before printing")
        tab.open(world.page("hostile"))
        same(on_paper(tab, world, "hostile")[1], [], "words that are cut off or shrunk")


@case
def narrow_screens(world):
    for name in ["trend", "hostile", "thousand", "hostile-trend", "decisions", "hostile-decisions"]:
        with world.tab(width=360, height=640, touch=True) as tab:
            tab.open(world.page(name))
            tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            settled(tab)
            wide = tab.ask("[document.scrollingElement.scrollWidth, innerWidth]")
            expect(wide[0] <= 360 and wide[1] == 360, f"{name}: the page is {wide[0]} wide, and seen as {wide[1]}")
            out = tab.ask("""[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !(e instanceof SVGElement && e.tagName !== 'svg'))
              .filter(e => { const b = e.getBoundingClientRect(); return b.width > 0 && (b.right > 360.5 || b.left < -0.5); }).map(e => e.tagName + ' ' + e.className).slice(0, 5)""")
            same(out, [], f"{name}: what sticks out")
            small = tab.ask("""[...document.querySelectorAll('button, input, select, summary')].filter(e => e.checkVisibility())
              .map(e => [e.closest('fieldset label') || e, e]).map(([box, e]) => [box.getBoundingClientRect(), e.tagName + ' ' + (e.id || e.textContent.slice(0, 20) || e.value)])
              .filter(([b]) => b.width < 24 || b.height < 32).map(([b, name]) => [name, b.width, b.height])""")
            same(small, [], f"{name}: too small to touch")
            tiny = tab.ask("[...document.querySelectorAll('svg text')].filter(e => e.getBoundingClientRect().height < 11).map(e => e.textContent)")
            same(tiny, [], f"{name}: words of the chart that are too small to read")


@case
def violations_come_before_tables(world):
    tops = "['filters', 'violations', 'counts'].map(id => document.getElementById(id).getBoundingClientRect().top)"
    for width in [360, 500, 800]:
        with world.tab(width=width, height=900) as tab:
            tab.open(world.page("thousand"))
            settled(tab)
            same(tab.ask(f"(tops => tops.join() === [...tops].sort((a, b) => a - b).join())({tops})"), True, f"{width}: filters, violations, tables")
    with world.tab() as tab:
        tab.open(world.page("thousand"))
        settled(tab)
        filters, violations, counts = tab.ask(tops)
        expect(filters == violations < counts, "a wide screen has filters and tables beside the violations")
        gap = tab.ask("document.getElementById('counts').getBoundingClientRect().top - document.getElementById('filters').getBoundingClientRect().bottom")
        expect(gap < 60, f"the tables follow the filters: {gap}")


def tree_of(tab):
    """What a screen reader receives, in its order."""
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    value = lambda node, key: (node.get(key) or {}).get("value", "")
    ordered = []

    def walk(node):
        if not node.get("ignored"):
            properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            ordered.append((value(node, "role"), value(node, "name"), properties))
        for child in node.get("childIds", []):
            if child in by_id:
                walk(by_id[child])

    walk(nodes[0])
    return ordered


@case
def screen_readers(world):
    for name in ["trend", "sample", "empty", "one", "thousand", "hostile", "decisions"]:
        with world.tab() as tab:
            tab.open(world.page(name))
            tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            settled(tab)
            tree = tree_of(tab)
            controls = [(role, label) for role, label, _ in tree if role in ("button", "checkbox", "searchbox", "textbox", "combobox", "link", "DisclosureTriangle", "DisclosureTriangleGrouped")]
            empty = name == "empty"
            expect(empty or len(controls) > 8, f"{name}: controls are {controls}")
            same([one for one in controls if not one[1].strip()], [], f"{name}: controls without a name")
            levels = [properties.get("level") for role, _, properties in tree if role == "heading"]
            same((levels[0], levels.count(1)), (1, 1), f"{name}: one heading above all")
            expect(all(after <= before + 1 for before, after in zip(levels, levels[1:])), f"{name}: headings jump: {levels}")
            same([label for role, label, _ in tree if role == "heading" and not label], [], f"{name}: headings without words")
            roles = [role for role, _, _ in tree]
            for landmark, count in [("banner", 1), ("main", 1), ("contentinfo", 1), ("search", 0 if empty else 1)]:
                same(roles.count(landmark), count, f"{name}: landmark {landmark}")
            same(roles.count("status"), 1, f"{name}: the count is announced when it changes")
            same([label for role, label, _ in tree if role == "region" and not label], [], f"{name}: regions without a name")
            tables = [label for role, label, _ in tree if role == "table"]
            expect(empty or len(tables) >= 3 and all(tables), f"{name}: tables are {tables}")
            expect(roles.count("columnheader") >= 2 * len(tables), f"{name}: tables without heads")
            same("Totals" in [label for role, label, _ in tree if role == "list"], True, f"{name}: the totals are a list")
            if not empty:
                items = tab.ask(f"{ITEMS}.length")
                expect(roles.count("listitem") >= items, f"{name}: violations are no items of lists")
            pictures = [label for role, label, _ in tree if role in ("image", "img", "graphics-document", "figure")]
            expect(all(pictures), f"{name}: pictures without words: {pictures}")
            if name == "trend":
                expect(any("errors 48 to 7" in label for label in pictures), f"the chart is called {pictures}")


def points(tab):
    lines = tab.ask("[...document.querySelectorAll('#chart polyline')].map(p => p.getAttribute('points'))")
    return [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]


@case
def trend_of_many_commits(world):
    commits = reports.history(13)["commits"]
    page = world.page("trend")
    with world.tab() as tab:
        tab.open(page)
        for kind, line in zip(["errors", "warnings"], points(tab)):
            same(len(line), len(commits), f"{kind}: points")
            values = [commit[kind] for commit in commits]
            scale = [(y - line[0][1]) / (value - values[0]) for (_, y), value in zip(line, values) if value != values[0]]
            expect(max(scale) - min(scale) < 0.01 and max(scale) < 0, f"{kind}: heights are not those of the counts: {scale}")
            steps = [right[0] - left[0] for left, right in zip(line, line[1:])]
            expect(min(steps) > 0 and max(steps) - min(steps) < 0.01, f"{kind}: weeks are not equally wide: {steps}")
        look = tab.ask("[...document.querySelectorAll('#chart g')].map(g => [g.querySelector('polyline').getAttribute('stroke-dasharray'), g.querySelector('text').textContent, g.querySelectorAll('circle').length, g.querySelectorAll('rect').length])")
        same(look, [[None, f"{commits[-1]['errors']} errors", 13, 0], ["6 3", f"{commits[-1]['warnings']} warnings", 0, 13]], "the lines differ without colours")
        same(tab.ask("document.querySelectorAll('#chart img, #chart canvas').length"), 0, "it is drawn by the page")
        hints = tab.ask("[...document.querySelectorAll('#chart title')].map(t => t.textContent)")
        same(hints[2], "2026-01-15 0202020202: 47 errors, 26 warnings", "the hint of a point")
        tab.click("document.querySelector('#trend-details summary')")
        rows = tab.ask("[...document.querySelectorAll('#numbers table')].map(t => [...t.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent)))")
        same([row[1:3] for row in rows[0]], [[str(commit["errors"]), str(commit["warnings"])] for commit in reversed(commits)], "the numbers, newest first")
        first, last = commits[0]["contracts"], commits[-1]["contracts"]
        sign = lambda n: f"+{n}" if n > 0 else f"−{-n}" if n < 0 else "0"
        expected = sorted(([name, str(first[name]), str(last[name]), sign(last[name] - first[name])] for name in first), key=lambda row: (-abs(first[row[0]] - last[row[0]]), row[0]))
        same(rows[1], expected, "contracts, first and last")
        tab.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=False)
        wait(tab, "document.querySelector('#chart svg').viewBox.baseVal.width <= 360", "it is drawn again")
        is_quiet(tab, page)


@case
def trend_of_one_commit_or_none(world):
    with world.tab() as tab:
        tab.open(world.page("trend-one"))
        label = "Violations in one commit, of 2026-01-01, excluding the baseline: 48 errors, 20 warnings."
        same(tab.ask("document.getElementById('trend-text').textContent"), label, "one commit")
        expect(all(len(line) == 1 and all(map(lambda n: n == n, line[0])) for line in points(tab)), "one point")
        same(tab.ask("document.querySelectorAll('#chart .dot').length"), 2, "which can be seen")
        is_quiet(tab, world.page("trend-one"))
    with world.tab() as tab:
        tab.open(world.page("trend-none"))
        same(tab.ask("document.getElementById('trend-text').textContent"), "The history has no commits.", "no commit")
        same(tab.ask("document.querySelectorAll('#chart svg').length"), 0, "nothing is drawn")
        is_quiet(tab, world.page("trend-none"))
    with world.tab() as tab:
        tab.open(world.page("sample"))
        same(tab.ask("document.getElementById('trend').checkVisibility()"), False, "no history, no trend")
    with world.tab() as tab:
        tab.open(world.page("trend-alone"))
        same(tab.ask("['trend', 'report', 'totals'].map(id => document.getElementById(id).checkVisibility())"), [True, False, False], "a history alone")
        text, _ = on_paper(tab, world, "alone")
        expect("0c0c0c0c0c" in text, "the numbers of a history alone are not on paper")
        is_quiet(tab, world.page("trend-alone"))


TABLES = "[...document.querySelectorAll('#decided table')].map(t => [t.getAttribute('aria-label'), ...[...t.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))])"


@case
def decisions_are_counted(world):
    made = reports.decisions()
    with world.tab() as tab:
        page = world.page("decisions")
        tab.open(page)
        same(tab.ask("document.getElementById('decisions-text').textContent"), "1,240 events from 2026-01-01 to 2026-01-05, 13 denied.", "the sum")
        tables = tab.ask(TABLES)
        same(tables[0], ["Decisions by contract", *([one["id"], *(str(one[key]) for key in ("denied", "fixed", "obeyed", "repeated"))] for one in made["contracts"])], "by contract")
        same(tables[1], ["Events by agent", ["claude", "1,200", "10"], ["codex", "40", "3"]], "by agent")
        same([row[0] for row in tables[2][1:]], [one["day"] for one in reversed(made["days"])], "days, newest first")
        same(tables[3], ["Contracts that never fired", ["license"], ["wide-except"]], "never fired")
        expect(tab.ask("document.getElementById('violations').checkVisibility()"), "the violations are there as well")
        is_quiet(tab, page)
    with world.tab() as tab:
        tab.open(world.page("decisions-none"))
        same(tab.ask("document.getElementById('decisions-text').textContent"), "The log has no events.", "no event")
        same([table[0] for table in tab.ask(TABLES)], ["Contracts that never fired"], "no empty table")
    with world.tab() as tab:
        tab.open(world.page("sample"))
        same(tab.ask("document.getElementById('decisions').checkVisibility()"), False, "no log, no decisions")
    with world.tab() as tab:
        tab.open(world.page("decisions-alone"))
        same(tab.ask("['decisions', 'report', 'totals'].map(id => document.getElementById(id).checkVisibility())"), [True, False, False], "decisions alone")
        text, _ = on_paper(tab, world, "decisions-alone")
        expect("wide-except" in text, "the decisions are not on paper")


@case
def without_scripts_it_says_so(world):
    with world.tab() as tab:
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.open(world.page("sample"))
        document = tab.call("DOM.getDocument", depth=-1)["root"]
        node = tab.call("DOM.querySelector", nodeId=document["nodeId"], selector="noscript p")["nodeId"]
        expect(node and "needs JavaScript" in tab.call("DOM.getOuterHTML", nodeId=node)["outerHTML"], "no message without scripts")
