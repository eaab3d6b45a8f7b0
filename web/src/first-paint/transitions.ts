/** A page that is left or hidden meanwhile is shown without a transition, which is no error of ours. */
export function allowSkippedTransitions(): void {
  for (const change of ['pageswap', 'pagereveal'] as const) {
    window.addEventListener(change, ({ viewTransition }) => {
      viewTransition?.ready.catch(() => {})
      viewTransition?.finished.catch(() => {})
    })
  }
}
