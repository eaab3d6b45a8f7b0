/**
 * A control that is disabled while something runs drops the focus, and whoever works by keyboard loses
 * their place. Gives the focus back as soon as the control can be used again, unless the person has gone
 * elsewhere. Returns what ends it.
 */
export function keepFocus(): () => void {
  /** What had the focus last. */
  let last: EventTarget | null = null

  const onFocus = ({ target }: FocusEvent) => void (last = target)
  const onPress = ({ target }: PointerEvent) => {
    if (last instanceof Node && !last.contains(target as Node)) last = null
  }
  const observer = new MutationObserver((changes) => {
    const changed = changes.some(({ target }) => target === last)
    const dropped = document.activeElement === null || document.activeElement === document.body
    if (!changed || !dropped || !(last instanceof HTMLElement)) return
    if (last.isConnected && !last.matches(':disabled')) last.focus({ preventScroll: true })
  })

  document.addEventListener('focusin', onFocus)
  document.addEventListener('pointerdown', onPress)
  observer.observe(document, { subtree: true, attributeFilter: ['disabled'] })
  return () => {
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('pointerdown', onPress)
    observer.disconnect()
  }
}
