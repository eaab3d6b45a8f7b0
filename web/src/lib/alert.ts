/** Tells the person something in the browser's own alert. */
export function showAlert(text: string): void {
  window.alert(text)
}
