// Keeps the list current without moving what is being read.
const list = document.getElementById("messages");
let shown = list.innerHTML;

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.getElementById("messages").innerHTML;
  if (next === shown) return;
  if (!document.querySelector("article")) return location.reload();
  list.innerHTML = shown = next;
}

setInterval(() => refresh().catch(() => {}), 2000);
