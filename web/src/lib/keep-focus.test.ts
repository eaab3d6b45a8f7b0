import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { keepFocus } from './keep-focus'

const button = (name: string) => document.getElementById(name) as HTMLButtonElement

/** Observers are told when the task that changed something is over, and act in one of their own. */
async function told() {
  for (let task = 0; task < 2; task += 1) await new Promise((resolve) => setTimeout(resolve))
}

/** Browsers drop the focus of what is disabled; jsdom leaves that to the test, and only before. */
async function disable(name: string) {
  button(name).blur()
  button(name).disabled = true
  await told()
}

async function enable(name: string) {
  button(name).disabled = false
  await told()
}

beforeEach(() => {
  document.body.innerHTML = '<button id="one"></button><button id="two"></button><p></p>'
  onTestFinished(keepFocus())
})

test('a control that was disabled gets its focus back', async () => {
  button('one').focus()
  await disable('one')
  expect(document.body).toHaveFocus()
  await enable('one')
  expect(button('one')).toHaveFocus()
})

test('whoever has gone on stays there', async () => {
  button('one').focus()
  await disable('one')
  button('two').focus()
  await enable('one')
  expect(button('two')).toHaveFocus()
})

test('so does whoever has pressed on something else', async () => {
  button('one').focus()
  await disable('one')
  document.querySelector('p')?.dispatchEvent(new Event('pointerdown', { bubbles: true }))
  await enable('one')
  expect(document.body).toHaveFocus()
})

test('a control that never had the focus gets none', async () => {
  button('one').focus()
  button('one').blur()
  await disable('two')
  await enable('two')
  expect(document.body).toHaveFocus()
})

test('what moves the focus after the change comes first', async () => {
  const focused: string[] = []
  button('one').focus()
  await disable('one')
  document.addEventListener('focusin', ({ target }) => focused.push((target as Element).id))
  button('one').disabled = false
  setTimeout(() => button('two').focus())
  await told()
  expect(focused).toEqual(['two'])
})
