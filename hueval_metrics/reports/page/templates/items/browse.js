// The item browser: its form, and what ties its parts together.
(() => {
  const browser = one("#browser");
  if (!browser) return;
  const broken = () => {
    one("#no-script").hidden = true;
    one("#broken").hidden = false;
  };

  const browse = (index) => {
    const texts = itemTexts(index.words);
    const { say, visible, button } = texts;
    const form = one(".filters", browser);
    const fields = form.elements;
    const address = itemAddress(index);
    const isPaired = index.models.length > 1;
    const empty = { task: "", dimension: "", model: "", outcome: "", search: "", sort: "", answers: false, diff: false, ...(index.readings ? { reading: "" } : {}), ...(index.findings ? { finding: "" } : {}) };
    const defaults = { ...empty, a: index.order[0], b: index.order[1] ?? index.order[0], item: null };
    let item = null; // the one that was opened last
    let found = [];

    const state = () => ({
      ...Object.fromEntries(Object.keys(empty).map((key) => [key, fields[key].type === "checkbox" ? fields[key].checked : fields[key].value])),
      ...Object.fromEntries(["a", "b"].map((side) => [side, Number(fields[side].value)])),
      item,
    });
    const put = (values) => {
      for (const key of [...Object.keys(empty), "a", "b"])
        if (fields[key].type === "checkbox") fields[key].checked = values[key];
        else {
          fields[key].value = values[key];
          if (fields[key].selectedIndex === -1) fields[key].value = ""; // an address may name anything
        }
      item = values.item;
    };
    let noting = 0;
    const note = () => {
      clearTimeout(noting); // browsers refuse an address that changes too often
      noting = setTimeout(() => history.replaceState(null, "", address.written(state(), defaults)), 250);
    };

    // --- finding ---
    const finder = itemFinder(index, broken);
    const choose = (values) => {
      put({ ...state(), ...values });
      list.refresh();
      search(false);
    };
    const view = itemView(index, texts, choose);
    const list = itemList(index, texts, view, {
      state,
      isOpened: (number, isOpen) => {
        item = isOpen ? number : item === number ? null : item;
        note();
      },
    });
    const tellPairs = (numbers, chosen) => {
      for (const each of all("[name=pair]", browser)) {
        const n = numbers.filter((number) => finder.isPair(each.value, chosen, number)).length;
        one("b", each).textContent = n;
        each.setAttribute("aria-pressed", String(chosen.outcome === each.value));
      }
    };
    // Why the list is empty: all that is chosen, and the answers, where they were not searched.
    const explain = (chosen) => {
      const said = Object.keys(empty)
        .filter((key) => chosen[key] && fields[key].tagName === "SELECT" && key !== "sort")
        .map((key) => ["en", "hu"].map((lang) => {
          const span = make("span", "", `${index.words[`filter_${key}`][lang === "hu" ? 1 : 0]}: ${fields[key].selectedOptions[0].dataset[lang]}`);
          span.lang = lang;
          return span;
        }));
      if (chosen.search.trim()) said.push([say("filter_search"), ": ", make("q", "", ...visible(chosen.search.trim()))]);
      const more = chosen.search.trim() && !chosen.answers ? [" ", say("none_in_answers")] : [];
      return [say("none_found"), " ", ...said.flatMap((one, place) => [place ? "; " : "", ...one]), ". ", ...more, " ", button("reset", say("reset"))];
    };
    const nothing = one("#nothing");
    const unknown = one("#unknown");
    // Shows what is found; from the first page where the question is another.
    const search = (isNew = true) => {
      let isFirst = isNew;
      const chosen = state();
      unknown.hidden ||= isNew;
      return finder
        .find(chosen, (numbers, percent) => {
          found = numbers.filter((number) => finder.goesSo(chosen, number));
          one("#found").replaceChildren(percent === null ? say("found", { n: found.length }) : say("searching", { percent }));
          if (isPaired) tellPairs(numbers, chosen);
          list.present(found, isFirst);
          nothing.hidden = found.length > 0 || percent !== null;
          if (!nothing.hidden) nothing.replaceChildren(...explain(chosen));
          isFirst = false;
        })
        .catch(broken);
    };

    // --- the form ---
    const fill = (select, options) => {
      for (const [value, texts] of options) {
        const option = make("option");
        option.value = value;
        [option.dataset.en, option.dataset.hu] = typeof texts === "string" ? [texts, texts] : texts;
        fields[select].append(option);
      }
    };
    const models = index.models.map((model, place) => [place, model]);
    const pairs = isPaired ? Object.keys(PAIRS) : [];
    const sorts = ["score", "-score", "length", "-length", "confidence", "-confidence", "-spread"].filter((key) => index.sorts.includes(key.replace("-", "")));
    if (isPaired && index.sorts.includes("score")) sorts.push("-gap");
    const sortWords = {
      score: "sort_score", "-score": "sort_score_down", length: "sort_length", "-length": "sort_length_down",
      confidence: "sort_confidence", "-confidence": "sort_confidence_down", "-spread": "sort_spread", "-gap": "sort_gap",
    };
    const outcomes = [...Object.entries(OUTCOMES), ["truncated", "truncated"], ["differ", "differ"], ...pairs.map((key) => [key, key])];
    fill("task", [["", index.words["all"]], ...index.tasks.map((task, place) => [place, task])]);
    fill("dimension", [["", index.words["all"]], ...Object.entries(index.dimensions)]);
    fill("model", [["", index.words["any_model"]], ...models]);
    fill("outcome", [["", index.words["all"]], ...outcomes.map(([code, key]) => [code, index.words[`outcome_${key}`]])]);
    fill("sort", [["", index.words["sort_none"]], ...sorts.map((key) => [key, index.words[sortWords[key]]])]);
    const kinds = Object.entries(READINGS).filter(([code]) => index.readings?.some((codes) => codes.includes(code)));
    if (index.readings) fill("reading", [["", index.words["all"]], ...kinds.map(([code, kind]) => [code, index.words[`reading_${kind}`]])]);
    if (index.findings) fill("finding", [["", index.words["all"]], ...Object.keys(index.findable).map((name) => [name, index.words[`finding_${name}`]])]);
    fill("a", models);
    fill("b", models);
    translate(form);
    one("#compare").hidden = !isPaired;
    one("#sort-by-a").hidden = !isPaired;
    one("#key").append(say("marks"), " ", ...index.models.flatMap((_, model) => [model ? ", " : "", view.name(model)]), ". ");
    one("#key").append(...Object.entries(OUTCOMES).flatMap(([code, key], place) => [place ? ", " : "", `${SIGNS[code]} `, say(`outcome_${key}`)]), ".");

    let waiting = 0;
    form.addEventListener("input", (event) => {
      clearTimeout(waiting);
      note();
      if (["a", "b", "diff"].includes(event.target.name)) list.refresh();
      if (event.target.name !== "diff") waiting = setTimeout(search, event.target.type === "search" ? 100 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    const swap = () => choose({ a: state().b, b: state().a });
    const clicks = {
      pair: (target) => choose({ outcome: target.value === state().outcome ? "" : target.value }),
      swap,
      reset: () => {
        put({ ...defaults, a: state().a, b: state().b, item });
        search();
      },
    };
    const told = (key) => one("#told").replaceChildren(say(key));
    const copy = async () => {
      const link = new URL(address.written(state(), defaults), location.href).href;
      await navigator.clipboard.writeText(link).then(() => told("copied"), () => {
        // Without the clipboard the address bar has the link.
        history.replaceState(null, "", link);
        told("link_in_address");
      });
    };
    const save = itemExport(index, texts);
    const write = (format) => {
      const { model } = state();
      const wanted = model === "" ? index.models.map((_, place) => place) : [Number(model)];
      return save(format, found, wanted, (percent) => one("#told").replaceChildren(say("exporting", { percent })))
        .then(() => told("exported"))
        .catch(broken);
    };
    browser.addEventListener("click", (event) => {
      const target = event.target.closest("button");
      if (!target) return;
      if (target.name === "link") {
        item = Number(target.closest("[data-number]")?.dataset.number ?? item);
        copy();
      } else if (target.name === "csv" || target.name === "jsonl") write(target.name);
      else if (clicks[target.name]) {
        clicks[target.name](target);
        note();
      }
    });

    // --- keys and the address ---
    const field = () => {
      fields.search.focus();
      fields.search.select();
    };
    const differ = () => {
      fields.diff.checked = !fields.diff.checked;
      list.refresh();
      note();
    };
    itemKeys({ j: () => list.step(1), k: () => list.step(-1), o: list.toggle, "/": field, Escape: list.close, ...(isPaired ? { d: differ, x: swap } : {}) });
    const restore = async () => {
      const wanted = address.read(location.hash, defaults);
      if (!wanted) return false;
      put(wanted);
      const isMissing = {
        item: () => wanted.item === null,
        a: (name) => !index.models.includes(name),
        b: (name) => !index.models.includes(name),
      };
      const isSelect = (key) => fields[key]?.tagName === "SELECT";
      const missing = wanted.named.filter(([key, value]) => value && (isMissing[key]?.(value) ?? (isSelect(key) && !fields[key].value)));
      list.refresh();
      await search();
      if (wanted.item === null) one("#items").scrollIntoView();
      else if (!list.goTo(wanted.item, true)) {
        put({ ...defaults, a: wanted.a, b: wanted.b, diff: wanted.diff, item: wanted.item }); // its filters do not have it
        await search();
        list.goTo(wanted.item, true);
      }
      unknown.hidden = !missing.length;
      const shown = missing.map(([key, value]) => make("code", "", ...visible(`${key}=${value.slice(0, 80)}`)));
      unknown.replaceChildren(say("link_unknown"), " ", ...shown.flatMap((one, place) => [place ? ", " : "", one]));
      return true;
    };
    addEventListener("hashchange", () => {
      clearTimeout(noting); // the reader has gone on
      restore();
    });
    browser.hidden = false;
    one("#no-script").hidden = true;
    put(defaults);
    return restore().then((isRestored) => isRestored || search());
  };

  itemData.index().then(browse).catch(broken);
})();
