// The look of a plan's page, and the places that its script fills.
#include "plan/html/page_parts.h"

namespace brigada {

const char* const kPlanPageStyle = R"css(
:root { --ink: #1d2430; --soft: #667085; --line: #d9dee7; --paper: #fbfcfe; --card: #ffffff;
  --main: #2563eb; --other: #94a3b8; --good: #15803d; --bad: #b42318; --warm: #d97706; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf2; --soft: #98a2b3; --line: #303a4b; --paper: #12161d; --card: #1a202a;
    --main: #7aa2ff; --other: #64748b; --good: #4ade80; --bad: #f97066; --warm: #fbbf24; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 28px 20px 60px; color: var(--ink);
  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; line-height: 1.3; margin: 0 0 6px; }
h2 { font-size: 16px; margin: 0 0 10px; }
p.soft, .soft { color: var(--soft); }
.grid { display: grid; gap: 16px;
  grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 16px 18px; margin-top: 16px; overflow-x: auto; }
.grid .card { margin-top: 0; }
.numbers { display: flex; flex-wrap: wrap; gap: 10px 34px; margin-top: 14px; }
.numbers b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: 13px; }
td.n, th.n { text-align: right; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); }
label { display: grid; grid-template-columns: 150px 1fr 70px; gap: 12px; align-items: center;
  margin: 6px 0; }
input[type=range] { width: 100%; accent-color: var(--main); }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 11px; }
summary { cursor: pointer; font-weight: 600; }
code { font-size: 13px; }
)css";

const char* const kPlanPageBody = R"html(
<h1 id="headline"></h1>
<p class="soft" id="profile"></p>
<div class="numbers" id="numbers"></div>
<div class="grid" style="margin-top:18px">
  <section class="card"><h2>Cost against targets</h2>
    <p class="soft">Each point is a fleet that meets them. Lower is quicker: 1 is exactly met.</p>
    <div id="front"></div></section>
  <section class="card"><h2>Seconds to the first token</h2>
    <p class="soft">At the peak, by the closed form and, where asked for, simulated.</p>
    <div id="percentiles"></div></section>
  <section class="card"><h2>KV over the day</h2>
    <p class="soft">Share of the room: what runs, and what people at work come back to. The shape
      of the day is declared.</p>
    <div id="day"></div></section>
  <section class="card"><h2>What if</h2>
    <p class="soft" id="grid-source"></p>
    <div id="sliders"></div><table id="whatif"></table></section>
</div>
<section class="card"><h2>When something goes wrong</h2><table id="scenarios"></table></section>
<section class="card"><h2>Candidates</h2><table id="candidates"></table></section>
<section class="card"><details><summary>The arithmetic</summary><div id="lines"></div></details>
</section>
)html";

}  // namespace brigada
