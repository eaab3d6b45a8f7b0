import { createEvent, fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { Dialog } from './dialog'

const shown = (open: boolean, onClose: () => void, busy = false) => (
  <Dialog open={open} busy={busy} title="Plans" onClose={onClose}>
    Pro
  </Dialog>
)

function escape(dialog: HTMLElement): boolean {
  const cancel = createEvent('cancel', dialog, { cancelable: true })
  fireEvent(dialog, cancel)
  return cancel.defaultPrevented
}

it('stays open when it is opened again before the close event of the time before', () => {
  const onClose = vi.fn()
  const { rerender } = render(shown(true, onClose))
  const dialog = screen.getByRole<HTMLDialogElement>('dialog', { name: 'Plans' })
  // As in a browser, the event comes later.
  vi.spyOn(dialog, 'close').mockImplementation(() => dialog.removeAttribute('open'))
  expect(escape(dialog)).toBe(true)
  expect(onClose).toHaveBeenCalledTimes(1)
  rerender(shown(false, onClose))
  expect(dialog).not.toHaveAttribute('open')
  rerender(shown(true, onClose))
  fireEvent(dialog, new Event('close'))
  expect(dialog).toHaveAttribute('open')
  expect(onClose).toHaveBeenCalledTimes(1)
  fireEvent(dialog, new Event('close'))
  expect(onClose).toHaveBeenCalledTimes(2)
})

it('stays when one that was opened in it goes', () => {
  const [onClose, onInnerClose] = [vi.fn(), vi.fn()]
  render(
    <Dialog open title="Plans" onClose={onClose}>
      <Dialog open title="Prices" onClose={onInnerClose}>
        Free
      </Dialog>
    </Dialog>,
  )
  escape(screen.getByRole('dialog', { name: 'Prices' }))
  expect(onInnerClose).toHaveBeenCalledTimes(1)
  expect(onClose).not.toHaveBeenCalled()
})

it('tells when something else has closed it', () => {
  const onClose = vi.fn()
  render(shown(true, onClose))
  const dialog = screen.getByRole<HTMLDialogElement>('dialog', { name: 'Plans' })
  dialog.close()
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('stays open while something runs', () => {
  const onClose = vi.fn()
  render(shown(true, onClose, true))
  const dialog = screen.getByRole('dialog', { name: 'Plans' })
  expect(escape(dialog)).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  fireEvent.mouseDown(dialog)
  expect(onClose).not.toHaveBeenCalled()
})

it('is closed by a press beside it, not by one on its scrollbar', () => {
  const onClose = vi.fn()
  render(shown(true, onClose))
  const dialog = screen.getByRole('dialog', { name: 'Plans' })
  vi.spyOn(dialog, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 400, 400))
  fireEvent.mouseDown(dialog, { clientX: 399, clientY: 50 })
  fireEvent.mouseDown(screen.getByText('Plans'), { clientX: 500, clientY: 50 })
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.mouseDown(dialog, { clientX: 500, clientY: 50 })
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('opens again when something has closed it that must not', () => {
  const onClose = vi.fn()
  const { rerender } = render(shown(true, onClose, true))
  const dialog = screen.getByRole<HTMLDialogElement>('dialog', { name: 'Plans' })
  dialog.close()
  expect(dialog).toHaveAttribute('open')
  expect(onClose).not.toHaveBeenCalled()
  rerender(shown(false, onClose, true))
  expect(dialog).not.toHaveAttribute('open')
})
