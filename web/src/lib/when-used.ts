import { whenQuiet } from './when-quiet'

const deeds = ['pointerover', 'pointerdown', 'keydown'] as const

/** Runs `task` when somebody first points at the page or presses a key. Returns what calls it off. */
export function whenUsed(task: () => void): () => void {
  const stop = () => {
    for (const deed of deeds) window.removeEventListener(deed, run, { capture: true })
  }
  function run() {
    stop()
    task()
  }
  for (const deed of deeds) window.addEventListener(deed, run, { capture: true, passive: true })
  return stop
}

/** The same once the page is quiet after it: for what people may ask for, but not what they came for. */
export function whenUsedAndQuiet(task: () => void): () => void {
  let stop = whenUsed(() => (stop = whenQuiet(task)))
  return () => stop()
}
