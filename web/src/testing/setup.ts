import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// What a page loads on demand arrives late on a machine that is busy with other suites.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  // Tests of the build run in Node's own environment.
  if (typeof window === 'undefined') return
  localStorage.clear()
  sessionStorage.clear()
})

// jsdom has no modal dialogs: open, close and the focus follow the HTML standard's visible effects.
if (typeof HTMLDialogElement !== 'undefined' && !HTMLDialogElement.prototype.showModal) {
  const before = new WeakMap<HTMLDialogElement, Element | null>()
  HTMLDialogElement.prototype.showModal = function showModal() {
    before.set(this, document.activeElement)
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    if (!this.open) return
    this.open = false
    const opener = before.get(this)
    if (this.contains(document.activeElement)) (document.activeElement as HTMLElement).blur()
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    this.dispatchEvent(new Event('close'))
  }
}
