/** Nothing is fetched for so long, in milliseconds, when the page has what it shows first. */
const QUIET_MS = 600
const PATIENCE_MS = 6000

/**
 * Runs `task` when the page has fetched nothing for a while, after some seconds in any case: for what
 * would take the line from what is shown first. Returns what calls it off.
 */
export function whenQuiet(task: () => void): () => void {
  let timer = setTimeout(run, QUIET_MS)
  const patience = setTimeout(run, PATIENCE_MS)
  const observer = new PerformanceObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(run, QUIET_MS)
  })
  observer.observe({ type: 'resource' })

  function stop() {
    clearTimeout(timer)
    clearTimeout(patience)
    observer.disconnect()
  }
  function run() {
    stop()
    task()
  }
  return stop
}
