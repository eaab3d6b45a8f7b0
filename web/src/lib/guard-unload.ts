/** Makes the browser ask for confirmation before the page is left; returns a function that ends that. */
export function guardUnload(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    event.preventDefault()
    // Safari before 17 supports only this.
    event.returnValue = true
  }
  window.addEventListener('beforeunload', ask)
  return () => window.removeEventListener('beforeunload', ask)
}
