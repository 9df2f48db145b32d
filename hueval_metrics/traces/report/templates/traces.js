// The trace of a reply as `hueval traces` read it: thoughts or segments with their labels, and where the answer stood.
// All offsets are in the text that the page has, whose middle may be left out.
const traceReader = (() => {
  const KINDS = ["thoughts", "segments", "answer", "plain"];
  const LETTERS = ["I", "R", "V", "C"]; // of the categories of segments
  const LIFE = ["first", "settled", "right"];
  const LIFE_SIGNS = { first: "◇", settled: "◆", right: "★" };
  let chosen = null; // the view that was chosen last; other items open with it

  return (texts) => {
    const { say, visible, button } = texts;
    const bare = (text) => make("bdi", "", ...visible(text));

    // --- the parts of a trace: where each starts and ends, its class, its label, and what is told on demand ---
    const thoughtsOf = ([starts, scores], length) =>
      starts.map((start, place) => {
        const score = scores[place];
        const end = starts[place + 1] ?? length;
        const told = [make("b", "", say("trace_thought", { n: place + 1 })), " · ", say(`score_${score ?? "none"}`)];
        return { start, end, kind: `score-${score ?? "none"}`, sign: score ?? "–", told };
      });
    const classesOf = (classes) => {
      const rows = classes.map((value, place) => make("div", "", make("dt", "", say(`dimension_${place}`)), make("dd", "", say(`class_${place}_${value}`))));
      const list = make("dl", "", ...rows);
      list.hidden = true;
      const more = button("classes", say("dimensions"));
      more.ariaExpanded = "false";
      more.addEventListener("click", () => {
        list.hidden = !list.hidden;
        more.ariaExpanded = String(!list.hidden);
      });
      return [" ", more, list];
    };
    const segmentsOf = (segments) =>
      segments.map(([start, end, category, ...classes], place) => {
        const told = [make("b", "", say(`category_${category}`)), " · ", say("trace_segment", { n: place + 1 })];
        return { start, end, kind: `category-${category}`, sign: LETTERS[category], told, more: classes.length ? classesOf(classes) : [] };
      });

    // --- its text, with the marks of the answer's life, and the place where its middle was left out ---
    const stopsOf = (found, cut) => {
      const stops = (found.life ?? []).flatMap(([name, ...values], part) =>
        LIFE.flatMap((kind, place) => (values[place] === null || values[place] < 0 ? [] : [{ at: values[place], kind, part, name }])));
      return [...stops, ...(cut ? [{ at: cut.at, cut }] : [])].sort((one, other) => one.at - other.at);
    };
    const markOf = ({ kind, part, name, cut }) => {
      if (cut) return make("span", "cut", say("cut", { n: cut.n, file: cut.file }));
      const mark = make("mark", `life ${kind}`, `${LIFE_SIGNS[kind]} `, ...(name ? [bare(name), " "] : []), say(`life_${kind}`));
      mark.dataset.part = part;
      return mark;
    };
    const writer = (text, stops) => {
      let next = 0; // of the stops, which are written once, in the first part that reaches them
      return (start, end, isLast) => {
        const nodes = [];
        let done = start;
        while (next < stops.length && (stops[next].at < end || (isLast && stops[next].at <= end) || stops[next].at < start)) {
          const at = Math.max(stops[next].at, done);
          nodes.push(...visible(text.slice(done, at)), markOf(stops[next]));
          done = at;
          next += 1;
        }
        const rest = text.slice(done, end);
        return [...nodes, ...visible(isLast ? rest : rest.trimEnd())]; // the next part begins on a line of its own
      };
    };
    const partOf = ({ kind, sign, told, more = [] }, nodes) => {
      const letter = make("span", "letter", String(sign));
      letter.ariaHidden = "true";
      return make("div", `piece ${kind}`, make("div", "label", letter, " ", ...told, ...more), make("div", "words", ...nodes));
    };
    const contentOf = (view, found, whole, file) => {
      const [head, n, tail] = typeof whole === "string" ? [whole, 0, ""] : whole;
      const text = head + tail;
      const cut = n ? { at: head.length, n, file } : null;
      const parts = view === "thoughts" ? thoughtsOf(found.thoughts, text.length) : view === "segments" ? segmentsOf(found.segments) : [];
      const shown = parts.filter(({ start, end }) => end > start);
      const write = writer(text, stopsOf(view === "plain" ? {} : found, cut));
      const nodes = [];
      let done = 0;
      shown.forEach((part, place) => {
        if (part.start > done) nodes.push(make("div", "words", ...write(done, part.start, false)));
        nodes.push(partOf(part, write(part.start, part.end, place === shown.length - 1 && part.end === text.length)));
        done = part.end;
      });
      if (done < text.length || !shown.length) nodes.push(make("div", "words", ...write(done, text.length, true)));
      if (parts.length > shown.length) nodes.push(make("p", "soft", say("trace_hidden", { n: parts.length - shown.length })));
      return nodes;
    };

    // --- what is told above it ---
    const factsOf = (found) => {
      const correct = found.thoughts?.[1].filter((score) => score === 2).length;
      const told = [
        say("trace_tokens", { n: found.tokens ?? 0 }),
        ...(found.language ? [say("trace_language", { language: found.language })] : []),
        ...(found.switches ? [say("trace_switches", { n: found.switches })] : []),
        ...(found.translations ? [say("trace_translations", { n: found.translations })] : []),
        ...(found.thoughts ? [say("trace_thoughts", { n: found.thoughts[0].length, correct })] : []),
        ...(found.segments ? [say("trace_segments", { n: found.segments.length })] : []),
      ];
      return make("p", "soft", ...told.flatMap((one, place) => [place ? " · " : "", one]));
    };
    const lifeOf = (found, show) => {
      const unseen = found.life.filter(([, first, , right]) => first === null && right === null).map(([name]) => name);
      const rows = found.life.map(([name, first, settled, right, changes, after], part) => {
        if (first === null && right === null) return null; // told together
        const places = { first, settled, right };
        const jumps = LIFE.filter((kind) => places[kind] !== null).map((kind) => {
          const jump = button("jump", make("span", "", `${LIFE_SIGNS[kind]} `, say(`life_${kind}`)));
          if (places[kind] < 0) return make("span", "soft", `${LIFE_SIGNS[kind]} `, say(`life_${kind}`), " ", say("life_cut"), " ");
          jump.addEventListener("click", () => show(part, kind));
          return jump;
        });
        const told = first === null ? [say("life_never")] : [say("life_changes", { n: changes }), ...(after === null ? [] : [" · ", say("life_after", { n: after })])];
        return make("li", "", ...(name ? [make("b", "", bare(name)), " "] : []), ...jumps.flatMap((jump) => [jump, " "]), make("span", "soft", ...told));
      });
      const never = unseen.length ? [make("li", "", ...unseen.flatMap((name) => (name ? [make("b", "", bare(name)), " "] : [])), make("span", "soft", say("life_never")))] : [];
      return [make("h4", "", say("life"), ...(found.approximate ? [" ", say("life_approximate")] : [])), make("ul", "life-list", ...rows.filter(Boolean), ...never)];
    };

    const boxOf = (found, trace, file) => {
      const views = KINDS.filter((kind) => kind === "plain" || (kind === "answer" ? found.life && !found.thoughts && !found.segments : found[kind]));
      const paper = make("div", "trace");
      paper.tabIndex = 0;
      paper.role = "group";
      paper.lang = "";
      paper.dir = "auto";
      const buttons = views.map((view) => button(view, say(`view_${view}`)));
      const show = (view) => {
        paper.replaceChildren(...contentOf(view, found, trace, file));
        for (const each of buttons) each.ariaPressed = String(each.name === view);
      };
      const strip = make("div", "views", make("span", "soft", say("view"), " "), ...buttons);
      strip.role = "group";
      for (const each of buttons)
        each.addEventListener("click", () => {
          chosen = each.name;
          show(chosen);
        });
      const jump = (part, kind) => {
        if (one("[name=plain]", strip).ariaPressed === "true") show(views[0]);
        one(`.life.${kind}[data-part="${part}"]`, paper).scrollIntoView({ block: "center" });
      };
      show(views.includes(chosen) ? chosen : views[0]);
      return [factsOf(found), ...(found.life ? lifeOf(found, jump) : []), ...(views.length > 1 ? [strip] : []), paper];
    };
    return boxOf;
  };
})();
