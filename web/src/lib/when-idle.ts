/* eslint-disable no-restricted-properties -- Safari, which has none, waits a moment instead. */

/** Runs `task` once the page has nothing better to do. */
export function whenIdle(task: () => void): void {
  if (typeof window.requestIdleCallback === 'function') {
    window.requestIdleCallback(task, { timeout: 4000 })
  } else {
    setTimeout(task, 1500)
  }
}
