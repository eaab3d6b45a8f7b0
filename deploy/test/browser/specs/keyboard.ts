import { expect, type Locator, type Page } from '@playwright/test'

/** What can be seen of the focus in an element, or in what stands for it. */
type Look = string

interface Stop {
  name: string
  /** Whether the focus has been there before, and whether it has only moved within a field of several parts. */
  again: boolean
  within: boolean
  /** Whether it looks other than without the focus, and is where it can be seen. */
  shown: boolean
}

/**
 * Presses Tab from the top of the page until the focus leaves it, and returns the tab stops. Fails when a control is
 * skipped, when the tab order differs from the reading order, when the focus is invisible or covered.
 */
export async function walk(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const state = globalThis as unknown as { looks: Map<Element, Look>; look(e: Element): Look }
    // A hidden radio button is drawn by what stands beside it, a field by the box around it.
    state.look = (element) =>
      [element, element.nextElementSibling, element.parentElement]
        .map((e) => {
          if (!e) return ''
          const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, translate } =
            getComputedStyle(e)
          const outline = outlineStyle === 'none' ? '' : outlineWidth + outlineColor
          return [outline, boxShadow, borderColor, translate].join(' ')
        })
        .join('|')
    const focused = document.activeElement
    if (focused instanceof HTMLElement) focused.blur()
    state.looks = new Map([...document.querySelectorAll('*')].map((e) => [e, state.look(e)]))
  })
  const stops: Stop[] = []
  for (let press = 0; press < 200; press += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(stopNow)
    if (!stop || (stop.again && !stop.within)) break
    if (!stop.within) stops.push(stop)
  }
  const names = stops.map(({ name }) => name)
  expect(
    stops.filter(({ shown }) => !shown),
    'stops that cannot be seen',
  ).toEqual([])
  // Chromium also stops at what scrolls; nothing else comes in between.
  expect(names.filter((name) => !name.startsWith('scrolls: '))).toEqual(
    await page.evaluate(operable),
  )
  return names
}

/** The names of all controls that the keyboard has to reach, in reading order. */
function operable(): string[] {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  return [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => {
      if (element.tabIndex < 0 || element.matches(':disabled') || element.closest('[inert]'))
        return false
      if (!element.checkVisibility({ visibilityProperty: true })) return false
      // One stop for a group of radio buttons.
      const radio = element instanceof HTMLInputElement && element.type === 'radio' ? element : null
      return !radio || radio.checked
    })
    .map(
      (element) =>
        element.getAttribute('aria-label') ||
        element.textContent?.trim() ||
        element.id ||
        element.tagName,
    )
}

function stopNow(): Stop | null {
  const state = globalThis as unknown as {
    looks: Map<Element, Look>
    look(e: Element): Look
    seen?: Set<Element>
    last?: Element
  }
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  state.seen ??= new Set()
  const again = state.seen.has(element)
  const within = state.last === element
  state.last = element
  state.seen.add(element)
  const named =
    element.getAttribute('aria-label') ||
    element.textContent?.trim() ||
    element.id ||
    element.tagName
  const operated = element.matches(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]',
  )
  // Whoever wants no motion still gets transitions, of no length, which end with the next picture.
  for (const animation of document.getAnimations()) {
    if (animation instanceof CSSTransition) animation.finish()
  }
  const box = element.getBoundingClientRect()
  const x = Math.min(Math.max(box.x + Math.min(box.width, 40) / 2, 1), innerWidth - 1)
  const y = Math.min(Math.max(box.y + Math.min(box.height, 40) / 2, 1), innerHeight - 1)
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  const top = document.elementFromPoint(x, y)
  const bare =
    top !== null &&
    (element.contains(top) ||
      top.contains(element) ||
      Boolean(element.parentElement?.contains(top)))
  return {
    name: operated ? named : `scrolls: ${named.slice(0, 40)}`,
    shown: inside && bare && state.look(element) !== state.looks.get(element),
    again,
    within,
  }
}

/** Tab, until `target` has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let press = 0; press < 100; press += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target, 'reached by Tab').toBeFocused()
}

/**
 * Opens a dialog or menu with `opener` and the keyboard, tabs through it once (focus trap), and closes it with Escape,
 * which returns the focus to `opener`.
 */
export async function opensAndCloses(page: Page, opener: Locator, opened: Locator): Promise<void> {
  await opener.focus()
  await page.keyboard.press('Enter')
  await expect(opened).toBeVisible()
  const within = () => opened.evaluate((element) => element.contains(document.activeElement))
  await expect.poll(within, 'the focus goes into what has opened').toBe(true)
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab')
    // After the last control of a modal dialog come the browser's own, never those of the page below.
    const below = await opened.evaluate((element) => {
      const focused = document.activeElement
      return (
        focused !== document.body &&
        focused !== document.documentElement &&
        !element.contains(focused)
      )
    })
    expect(below, 'the focus leaves what is open for the page below').toBe(false)
    if (await page.evaluate(() => document.activeElement === document.body)) break
  }
  await page.keyboard.press('Escape')
  await expect(opened).toBeHidden()
  await expect(opener).toBeFocused()
}
