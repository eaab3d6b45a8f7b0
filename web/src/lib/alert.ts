/** Tells the person something in the browser's own alert, where the specification says 'alert'. */
export function showAlert(text: string): void {
  window.alert(text)
}
