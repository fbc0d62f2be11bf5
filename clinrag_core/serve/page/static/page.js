// The page works without this file: it only replaces the part that a form changes.
"use strict";

const PART = "X-Clinrag-Part";
const status = document.getElementById("status");

function say(text, busy = true) {
  if (!status) return;
  status.textContent = text;
  status.classList.toggle("unseen", !busy); // what is done is seen, but must be read out
}

async function fetched(address, options, part) {
  const response = await fetch(address, { ...options, headers: { [PART]: part } });
  const type = response.headers.get("content-type") || "";
  if (!type.startsWith("text/html")) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function swap(found, part) {
  const now = document.getElementById(part);
  const next = found.getElementById(part) || found.getElementById("answer");
  if (!now || !next) throw new Error("no part");
  next.id = part;
  now.replaceWith(document.adoptNode(next));
  return document.getElementById(part);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const part = form.dataset.part;
  if (!part || !form.reportValidity()) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") === "true") return;
  const hidden = form.querySelector("input[type=hidden][name=question]");
  if (hidden) document.getElementById("question").value = hidden.value;
  form.setAttribute("aria-busy", "true");
  say(form.dataset.busy);
  try {
    const found = await fetched(form.action, { method: "POST", body: new FormData(form) }, part);
    const section = swap(found, part);
    const heading = section.querySelector("h1, h2, summary");
    say(part === "answer" && heading ? heading.textContent : "Done", false);
    if (heading) heading.focus();
    section.scrollIntoView({ block: "nearest" });
  } catch (error) {
    const large = error.message === "413";
    say(large ? "This is too large to be sent." : "The service did not answer. Try again in a moment.");
  } finally {
    form.removeAttribute("aria-busy");
  }
});

// Opening a source loads its page; the link stays for a new tab and for readers without this file.
document.addEventListener("toggle", async (event) => {
  const link = event.target.open && event.target.querySelector("a[data-load]");
  if (!link) return;
  link.removeAttribute("data-load");
  try {
    const found = await fetched(link.href, {}, "source");
    const opened = found.querySelector(".opened");
    if (opened) link.before(document.adoptNode(opened));
    const pictured = link.parentElement.querySelector("svg");
    link.textContent = pictured ? "Open the whole page" : "Open this source alone";
  } catch {
    link.setAttribute("data-load", "");
  }
}, true);

// Enter asks, Shift and Enter begins a line.
const question = document.getElementById("question");
if (question) {
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    question.form.requestSubmit();
  });
}
