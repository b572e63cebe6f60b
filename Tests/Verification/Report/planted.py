"""Faults to plant in the page, which checks must find."""

# Name, check, text of the page's script, what replaces it.
FAULTS = [
    ("decisions-lost", "decisions", "=>opened().open(log).objects().map(line)", "=>opened().open(log).objects().slice(1).map(line)"),
    ("slider-dead", "sliders", "input:()=>this.set(field,readValue(field,slider.value))", "input:()=>{}"),
    ("percentage-as-time", "forms", "unit:number(32)===1?1:1e6", "unit:1e6"),
    ("figures-swapped", "figures", "p90RightAfter:after(p90)", "p90RightAfter:after(sum)"),
    ("slow-builds-lost", "figures", "cost?.slowEvery??0", "0"),
    ("no-ends-unsaid", "without_ends", "figures[0].ends===0?", "false?"),
    ("reports-lost", "live", "this.core.page_cost(cost?.ns??NaN,", "this.core.page_cost(NaN,"),
    ("pause-wrong", "live", "*armed.cost*100/share)-armed.cost", "*armed.cost*150/share)-armed.cost"),
    ("any-cost", "cost_field", "if(!found)throw new RangeError(", "if(!found)new RangeError("),
    ("c-wrong", "forms", "\"SETTLE_NEVER\"", "\"0\""),
    ("advice-free", "advice", "this.log.front(this.all,this.todayRow.index,this.kept)", "this.log.front(this.all,this.todayRow.index,0)"),
    ("sample-unsaid", "many", "search.isWhole?words:", "words?words:"),
    ("table-lag-wrong", "decision_table", "duration(decision.time-decision.since)", "duration(decision.time-decision.since*.99999)"),
    ("names-as-markup", "hostile", "made.textContent=value", "made.innerHTML=value"),
    ("damage-throws", "damaged", "throw new Error(\"The report’s data is no JSON", "throw 1;throw new Error(\"The report’s data is no JSON"),
    ("two-presets", "panel", "String(choice===current)", "String(same(policy,choice[1]))"),
    ("drag-dead", "pointer", "this.move(this.view.start-(after[0]-before[0])*this.perPixel", "void(this.view.start-(after[0]-before[0])*this.perPixel"),
    ("unnamed-control", "names", "\"aria-label\":`${field.label}, in ${unitOf(field)}`,", ""),
    ("fleet-advice-free", "fleet", "core.front(this.gridCount,today,this.kept,bound)", "core.front(this.gridCount,today,0,bound)"),
    ("early-crash", "scripts", "if(!shownReport?.presets)throw", "if(false)throw"),
    ("saved-work-wrong", "answer", "(baselines.naive-rebuilds)*cost.ns", "(baselines.naive+rebuilds)*cost.ns"),
    ("logs-not-added", "several", "logs.reduce((total,log)=>total+of(log),0)", "of(logs[0])"),
    ("link-without-policy", "links", "policy:others||null}", "policy:null}"),
    ("focus-covered", "focus", "setProperty(\"--stuck\"", "setProperty(\"--stick\""),
    ("rejected-counts", "rejected", "this.end=this.view.getFloat64(this.core.page_log_address()+40,true)", "this.end=36e11"),
]


def planted(tail, name):
    """The page's end, where its script is, with a fault."""
    _, _, old, new = next(fault for fault in FAULTS if fault[0] == name)
    if old not in tail:
        raise ValueError(f"the fault {name} changes nothing: its text is not in the page")
    return tail.replace(old, new)
