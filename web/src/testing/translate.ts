/** Does to the texts below `root` what the translators of browsers do: each is replaced by an element. */
export function translate(root: Node): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (texts.nextNode()) found.push(texts.currentNode as Text)
  for (const text of found) {
    const font = document.createElement('font')
    font.textContent = text.data
    text.replaceWith(font)
  }
}
