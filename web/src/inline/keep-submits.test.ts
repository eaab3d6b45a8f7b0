import { beforeAll, beforeEach, expect, test } from 'vitest'
import { keepSubmits } from './keep-submits'

beforeAll(keepSubmits)
beforeEach(() => void (document.body.innerHTML = '<form data-keep-submit><button></button></form>'))

/** Submits the form as a person does; says whether the browser would have sent it. */
function submit(form: HTMLFormElement | null): boolean {
  return (
    form?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })) ?? false
  )
}

test('a form that waits for its script keeps what was submitted', () => {
  const form = document.querySelector('form')
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
