"use strict";
// Shows the frames that lie in the page. A frame tells which cards have changed since the one before:
// [card, x, y, scale, depth, known]. Nothing here knows the rules of the game.
(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const find = (id) => document.getElementById(id);
  const table = find("table");
  const cards = [...table.querySelectorAll(".card")];
  const labels = [...table.querySelectorAll(".label")];
  const moves = [...find("moves").querySelectorAll("button")];
  const slider = find("slider");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const places = [];
  film.frames.forEach((frame, number) => {
    const now = number ? places[number - 1].slice() : [];
    for (const [card, ...place] of frame.changes) now[card] = place;
    places.push(now);
  });

  let at = 0;
  let timer = null;
  let settle = null;

  const transform = ([x, y, scale]) => `translate(${x}px, ${y}px) scale(${scale})`;
  const duration = () => (timer === null ? 260 : Math.min(260, 0.6 * Number(find("speed").value)));

  function draw(to, animated) {
    const from = at;
    at = to;
    const frame = film.frames[at];
    const all = find("all").checked;
    const now = places[at];
    const moving = [];
    const order = [...cards.keys()].sort((a, b) => now[a][3] - now[b][3]);
    for (const card of order) {
      const node = cards[card];
      const [before, after] = [places[from][card], now[card]];
      node.style.transform = transform(after);
      node.classList.toggle("down", !all && !after[4]);
      node.classList.toggle("moved", frame.moved.includes(card));
      const still = before[0] === after[0] && before[1] === after[1];
      if (animated && !still && !calm.matches) moving.push([node, before, after]);
      else table.append(node);
    }
    for (const [node, before, after] of moving) {
      table.append(node);  // what moves flies above what lies
      node.animate([{ transform: transform(before) }, { transform: transform(after) }],
                   { duration: duration(), easing: "ease-in-out" });
    }
    clearTimeout(settle);
    if (moving.length) settle = setTimeout(() => order.forEach((card) => table.append(cards[card])), duration() + 20);
    tell(frame, all);
  }

  function tell(frame, all) {
    labels.forEach((label, k) => { label.textContent = film.texts[frame.labels[k]]; });
    find("pile").classList.toggle("hidden", !frame.stock);
    find("state").textContent = `Move ${at} of ${film.frames.length - 1}: score ${frame.score}, ` +
      `${frame.up} cards up, ${all ? "all cards shown" : "as the player knew it"}`;
    find("table-text").textContent = (all ? frame.all : frame.known).map((k) => film.texts[k]).join(" ");
    find("said").textContent = moves[at].dataset.said;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `move ${at}, ${moves[at].dataset.said}`);
    moves.forEach((move, number) => {
      if (number === at) move.setAttribute("aria-current", "step");
      else move.removeAttribute("aria-current");
    });
    const [list, item] = [find("moves"), moves[at].parentElement];
    const top = item.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
    }
    const [start, end] = [at === 0, at === film.frames.length - 1];
    for (const [id, off] of [["first", start], ["back", start], ["forward", end], ["last", end]]) {
      find(id).setAttribute("aria-disabled", off);
    }
  }

  function go(to, animated = true) {
    const place = Math.max(0, Math.min(film.frames.length - 1, to));
    draw(place, animated && Math.abs(place - at) === 1);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    find("play").textContent = "Play";
    find("play").setAttribute("aria-label", "Play");
  }

  function play() {
    clearInterval(timer);
    if (at === film.frames.length - 1) go(0, false);
    timer = setInterval(() => {
      go(at + 1);
      if (at === film.frames.length - 1) pause();
    }, Number(find("speed").value));
    find("play").textContent = "Pause";
    find("play").setAttribute("aria-label", "Pause");
  }

  const toggle = () => (timer === null ? play() : pause());
  const step = (to) => { pause(); go(to); };
  const actions = {
    first: () => step(0),
    back: () => step(at - 1),
    forward: () => step(at + 1),
    last: () => step(film.frames.length - 1),
    play: toggle,
  };
  for (const [id, action] of Object.entries(actions)) find(id).addEventListener("click", action);
  slider.addEventListener("input", () => step(Number(slider.value)));
  find("all").addEventListener("change", () => draw(at, false));
  find("speed").addEventListener("change", () => { if (timer !== null) play(); });
  moves.forEach((move, number) => move.addEventListener("click", () => step(number)));

  const keys = {
    ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.first, End: actions.last, p: toggle,
    v: () => { find("all").checked = !find("all").checked; draw(at, false); },
  };
  document.addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const own = event.target.matches("select, input[type=range]") && key.length > 1;  // they have keys of their own
    if (event.ctrlKey || event.altKey || event.metaKey || own || !(key in keys)) return;
    event.preventDefault();
    keys[key]();
  });

  find("copy")?.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(find("code").textContent);
      find("copy").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(find("code"));
    }
  });

  draw(0, false);
})();
