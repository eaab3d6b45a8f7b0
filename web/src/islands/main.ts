import { hydrate } from './hydrate'

/** Hydrates the islands of a visitors' page, each in a task of its own so that the page stays responsive. */
function start(): void {
  for (const island of document.querySelectorAll<HTMLElement>('fledge-island')) {
    setTimeout(() => hydrate(island))
  }
}

// Guards against a second copy of this module, which a retry may load (src/inline/retry-scripts.ts).
const root = document.documentElement
if (root.dataset.islands === undefined) {
  root.dataset.islands = ''
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
  else start()
}
