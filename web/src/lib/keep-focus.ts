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
  const giveBack = () => {
    if (!(last instanceof HTMLElement) || last.matches(':disabled')) return
    const dropped = document.activeElement === null || document.activeElement === document.body
    if (dropped) last.focus({ preventScroll: true })
  }
  const observer = new MutationObserver((changes) => {
    // Effects come first: a dialog may close with what was pressed in it, and have a place for the focus.
    if (changes.some(({ target }) => target === last)) setTimeout(giveBack)
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
