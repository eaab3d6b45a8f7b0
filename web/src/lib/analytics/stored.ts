/** Where PostHog keeps what it knows of a visitor, in storage or a cookie, and Google's cookies. */
const KEPT = /^(__)?ph_|^_ga/

function clear(storage: () => Storage): void {
  try {
    const kept = storage()
    for (const name of Object.keys(kept).filter((key) => KEPT.test(key))) kept.removeItem(name)
  } catch {
    // Where storage is forbidden, nothing was stored.
  }
}

/** The domains that a cookie of this page can have: none, and the host with each of its parents. */
function domains(): string[] {
  const labels = window.location.hostname.split('.')
  return ['', ...labels.map((_, index) => `; domain=${labels.slice(index).join('.')}`)]
}

/** Removes whatever the analytics services have stored in this browser, loaded or not. */
export function removeStored(): void {
  clear(() => localStorage)
  clear(() => sessionStorage)
  for (const cookie of document.cookie.split('; ')) {
    const [name = ''] = cookie.split('=')
    if (!KEPT.test(name)) continue
    for (const domain of domains()) document.cookie = `${name}=; path=/; max-age=0${domain}`
  }
}
