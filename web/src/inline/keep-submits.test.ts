import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { keepSubmits } from './keep-submits'

beforeAll(keepSubmits)
beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML =
    '<p id="not-loaded" hidden></p><form data-keep-submit><button></button></form>'
})
afterEach(() => void vi.useRealTimers())

/** Submits the form as a person does; says whether the browser would have sent it. */
function submit(form: HTMLFormElement | null): boolean {
  return (
    form?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })) ?? false
  )
}

/** The form, and what stands for its being sent by the browser. */
function theForm() {
  const form = document.querySelector('form')!
  return { form, sent: vi.spyOn(form, 'submit').mockReturnValue() }
}

test('a form that waits for its script keeps what was submitted', () => {
  const { form } = theForm()
  expect(submit(form)).toBe(false)
  expect(form).toHaveAttribute('data-submitted')
  expect(form).toHaveAttribute('aria-busy', 'true')
})

test('a form that has its script is left alone', () => {
  const form = document.querySelector('form')
  form?.removeAttribute('data-keep-submit')
  expect(submit(form)).toBe(true)
  expect(form).not.toHaveAttribute('data-submitted')
})

test('a form whose script did not arrive is left to the browser', () => {
  const { form } = theForm()
  document.getElementById('not-loaded')!.hidden = false
  expect(submit(form)).toBe(true)
  expect(form).not.toHaveAttribute('data-submitted')
})

test('a form that nothing replays is sent by the browser, once', () => {
  const { form, sent } = theForm()
  submit(form)
  vi.advanceTimersByTime(14_999)
  expect(sent).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(sent).toHaveBeenCalledOnce()
})

test.each<[string, (form: HTMLFormElement) => void]>([
  ['has replayed it', (form) => form.removeAttribute('data-submitted')],
  ['is gone', (form) => form.remove()],
])('a form that %s is not sent again', (_, change) => {
  const { form, sent } = theForm()
  submit(form)
  change(form)
  vi.runAllTimers()
  expect(sent).not.toHaveBeenCalled()
})
