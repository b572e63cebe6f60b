"""A fault to plant in the page for each check, which must find it."""

# Name, check, text of the page's script, what replaces it.
FAULTS = [
    ("decisions-lost", "decisions", "=>opened().open(log).objects().map(line)", "=>opened().open(log).objects().slice(1).map(line)"),
    ("slider-dead", "sliders", "input:()=>this.set(field,readValue(field,slider.value))", "input:()=>{}"),
    ("percentage-as-time", "forms", "unit:number(52)===1?1:1e6", "unit:1e6"),
    ("figures-swapped", "figures", "wrong:all[at+3]", "wrong:all[at+1]"),
    ("reports-lost", "live", "this.core.page_cost(cost?.ns??NaN,", "this.core.page_cost(NaN,"),
    ("pause-wrong", "live", "armed.cost*(100-share)/share", "armed.cost*share/(100-share)"),
    ("any-cost", "cost_field", "if(!found)throw new RangeError(", "if(!found)new RangeError("),
    ("policy-text-wrong", "front", "set.length>0?set.join(\" \")", "set.length>0?set.slice(1).join(\" \")"),
    ("c-wrong", "forms", "\"SETTLE_NEVER\"", "\"0\""),
    ("advice-free", "advice", "this.log.front(this.rows.length,0,this.kept)", "this.log.front(this.rows.length,0,0)"),
    ("table-lag-wrong", "decision_table", "duration(decision.time-decision.since)", "duration(decision.time-decision.since*.99999)"),
    ("percent-inverted", "cards", "percent(rebuilds,baselines.naive)", "percent(baselines.naive-rebuilds,baselines.naive)"),
    ("names-as-markup", "hostile", "made.textContent=value", "made.innerHTML=value"),
    ("request", "quiet", "\"use strict\";{", "\"use strict\";{fetch(\"http://127.0.0.1:9/\").catch(()=>0);"),
    ("damage-throws", "damaged", "throw new Error(\"The report’s data is no JSON", "throw 1;throw new Error(\"The report’s data is no JSON"),
    ("cut-unsaid", "cut", "", ""),
    ("two-presets", "panel", "String(choice===current)", "String(same(policy,choice[1]))"),
    ("slow", "large", "decide(policy,cost){", "decide(policy,cost){const until=performance.now()+12000;while(performance.now()<until);"),
    ("keys-dead", "keyboard", "addEventListener(\"keydown\",(event)=>this.key(event));this.root.addEventListener(\"wheel\"",
     "addEventListener(\"keyup\",()=>0);this.root.addEventListener(\"wheel\""),
    ("drag-dead", "pointer", "this.move(this.view.start-(after[0]-before[0])*this.perPixel", "void(this.view.start-(after[0]-before[0])*this.perPixel"),
    ("unnamed-control", "names", "\"aria-label\":`${field.label}, in ${unitOf(field)}`,", ""),
    ("fleet-sample-changed", "fleet_sample", "", ""),
    ("fleet-advice-free", "fleet", "core.front(this.gridCount,today,this.kept,bound)", "core.front(this.gridCount,today,0,bound)"),
    ("fleet-values-not-escaped", "fleet_hostile", "shortened(value,40)", "value"),
    ("fleet-too-wide", "fleet_layout", "", ""),
    ("too-wide", "layout", "", ""),
    ("no-policy", "csp", "", ""),
    ("large-page", "size", "", ""),
    ("early-crash", "scripts", "if(!shownReport?.presets)throw", "if(false)throw"),
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
    elif name == "no-policy":
        start = head.index("<meta http-equiv")
        head = head[:start] + head[head.index(">", start) + 1:]
    elif name == "large-page":
        tail += "<!--" + "x" * 150_000 + "-->"
    if name == "request":
        head = head.replace("default-src 'none'", "default-src *")
    if old:
        # The page may break its lines there.
        tail = tail.replace(old, new).replace(old.replace(";this.root", ";\nthis.root"), new)
    if (head, tail) == (page.head, page.tail):
        raise SystemExit(f"check-report: the fault {name} changes nothing: its text is not in the page")
    return head, tail
