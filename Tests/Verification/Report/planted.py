"""Faults to plant in the page, each with the check that must find it."""

# Name, check, text of the page's script, what replaces it.
FAULTS = [
    ("decisions-lost", "decisions", "=>opened().open(log).objects().map(line)", "=>opened().open(log).objects().slice(1).map(line)"),
    ("objects-lost", "decisions", "=>opened().open(log).objects(),", "=>opened().open(log).objects().slice(1),"),
    ("slider-dead", "sliders", "input:()=>this.set(field,fromMs(slider.value))", "input:()=>{}"),
    ("toggle-dead", "sliders", "toggle.checked?this.rows", "true?this.rows"),
    ("policy-text-wrong", "front", "set.length>0?set.join(\" \")", "set.length>0?set.slice(1).join(\" \")"),
    ("c-wrong", "forms", "\"SETTLE_NEVER\"", "\"0\""),
    ("swift-wrong", "forms", "[\"milliseconds\",1_000_000n]", "[\"milliseconds\",1_000n]"),
    ("file-wrong", "forms", "(ns===null?null:withUnit(ns))", "(ns===null?\"0s\":withUnit(ns))"),
    ("front-not-taken", "front", "if(this.picked)this.take(", "if(false)this.take("),
    ("advice-free", "advice", "this.log.front(this.rows.length,0,this.kept)", "this.log.front(this.rows.length,0,0)"),
    ("price-swapped", "advice", "[text(today),text(figure)]", "[text(figure),text(today)]"),
    ("table-lag-wrong", "decision_table", "duration(decision.time-decision.since)", "duration(decision.time-decision.since*.99999)"),
    ("table-page-repeated", "decision_table", "const first=this.page*rowsMost,end", "const first=0*rowsMost,end"),
    ("table-mark-lost", "decision_table", "this.table.mark(decision?.index)", "this.table.mark(null)"),
    ("percent-inverted", "cards", "percent(rebuilds,baselines.naive)", "percent(baselines.naive-rebuilds,baselines.naive)"),
    ("percent-rounded-up", "cards", "Math.floor(value * 10) / 10", "Math.ceil(value)"),
    ("names-as-markup", "hostile", "made.textContent=value", "made.innerHTML=value"),
    ("names-not-escaped", "hostile", "return name.replace(controls,", "return name.replace(/(?!)/,"),
    ("request", "quiet", "\"use strict\";{", "\"use strict\";{fetch(\"http://127.0.0.1:9/\").catch(()=>0);"),
    ("console", "quiet", "\"use strict\";{", "\"use strict\";{console.error(\"planted\");"),
    ("damage-throws", "damaged", "throw new Error(\"The report’s data is no JSON", "throw 1;throw new Error(\"The report’s data is no JSON"),
    ("damage-hidden", "damaged", "byId(\"messages\").append(", "void("),
    ("damage-unsaid", "damaged", "[...this.damage,...log.damage]", "[]"),
    ("index-unread", "damaged", "(damage&noIndex)===0", "true"),
    ("cut-unsaid", "cut", "", ""),
    ("mark-dropped", "hostile", "{ignoreBOM:true}", "{}"),
    ("two-presets", "panel", "String(choice===current)", "String(same(policy,choice[1]))"),
    ("clamp-unsaid", "panel", "the most is", ""),
    ("column-scrolls", "panel", "", ""),
    ("slow", "large", "decide(policy){", "decide(policy){const until=performance.now()+12000;while(performance.now()<until);"),
    ("nodes-per-decision", "large", "const rowsMost=50", "const rowsMost=5e4"),
    ("keys-dead", "keyboard", "addEventListener(\"keydown\",(event)=>this.key(event));this.root.addEventListener(\"wheel\"",
     "addEventListener(\"keyup\",()=>0);this.root.addEventListener(\"wheel\""),
    ("drag-dead", "pointer", "this.move(this.view.start-(after[0]-before[0])*this.perPixel", "void(this.view.start-(after[0]-before[0])*this.perPixel"),
    ("wheel-dead", "pointer", "this.zoom(Math.exp(", "void(Math.exp("),
    ("pinch-dead", "pointer", "this.zoom(was/is,", "void(was/is,"),
    ("tap-dead", "pointer", "const reach={mouse:7,touch:22}", "const reach={mouse:7,touch:-1}"),
    ("unnamed-control", "names", "\"aria-label\":`${field.label}, in ms`,", ""),
    ("fleet-sample-changed", "fleet_sample", "", ""),
    ("fleet-advice-free", "fleet", "core.front(this.gridCount,today,this.kept,bound)", "core.front(this.gridCount,today,0,bound)"),
    ("fleet-bound-wrong", "fleet", "core.front(this.gridCount,today,this.kept,bound)", "core.front(this.gridCount,today,this.kept,null)"),
    ("fleet-figures-swapped", "fleet", "wasted:data.wasted[index]", "wasted:data.previews[index]"),
    ("fleet-not-from-today", "fleet", "super({default:fleet.todaysPolicy", "super({default:fleet.policies[1]"),
    ("fleet-values-not-escaped", "fleet_hostile", "shortened(value,40)", "value"),
    ("fleet-damage-throws", "fleet_hostile", "throw new Error(`The report’s fleet is damaged", "throw 1;throw new Error(`The report’s fleet is damaged"),
    ("fleet-too-wide", "fleet_layout", "", ""),
    ("too-wide", "layout", "", ""),
    ("light-only", "layout", "", ""),
    ("no-policy", "csp", "", ""),
    ("large-page", "size", "", ""),
    ("early-crash", "scripts", "if(!shownReport?.presets)throw", "if(false)throw"),
    ("time-inexact", "scripts", "exact?Number(this.at):this.at", "Number(this.at)"),
    ("time-always-big", "scripts", "exact?Number(this.at):this.at", "this.at"),
    ("range-unsaid", "scripts", "throw new RangeError(`${name} is", "throw new Error(`${name} is"),
    ("rejected-counts", "rejected", "this.end=this.view.getFloat64(address+40,true)", "this.end=36e11"),
]


def planted(page, name):
    """The page's head and tail with a fault."""
    _, _, old, new = next(fault for fault in FAULTS if fault[0] == name)
    head, tail = page.head, page.tail
    if name in ("too-wide", "fleet-too-wide"):
        head = head.replace("</style>", "body{min-width:900px}</style>")
    elif name == "cut-unsaid":
        head = head.replace("its end is missing", "wait")
    elif name == "column-scrolls":
        head = head.replace("</style>", ".explanation{height:60px;overflow:auto}.side .explanation{min-height:0}</style>")
    elif name == "light-only":
        head = head.replace("prefers-color-scheme:dark", "prefers-color-scheme:none")
    elif name == "no-policy":
        start = head.index("<meta http-equiv")
        head = head[:start] + head[head.index(">", start) + 1:]
    elif name == "large-page":
        tail += "<!--" + "x" * 150_000 + "-->"
    if name == "request":
        head = head.replace("default-src 'none'", "default-src *")
    if old:
        spaced = old.replace("};this.root", "}\nthis.root")
        found = [text for text in (old, spaced, old.replace(";this.root", ";\nthis.root")) if text in tail]
        if not found:
            raise SystemExit(f"check-report: the fault {name} cannot be planted; its text is not in the page")
        tail = tail.replace(found[0], new)
    if (head, tail) == (page.head, page.tail):
        raise SystemExit(f"check-report: the fault {name} changes nothing")
    return head, tail
