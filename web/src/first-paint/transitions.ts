/** A page that is left or hidden meanwhile is shown without a transition, which is no error of ours. */
export function allowSkippedTransitions(): void {
  window.addEventListener('pagereveal', ({ viewTransition }) => {
    viewTransition?.ready.catch(() => {})
  })
}
