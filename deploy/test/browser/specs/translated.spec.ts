import { expect, test } from './fixture.ts'

import { chooseAccount } from './people.ts'
import { openPlans } from './profile.ts'
import { newAddress } from './stack.ts'

/**
 * Does to a page what the translators of browsers do, but for the words: each text is replaced by two <font> elements,
 * also later ones, so that the texts that React holds are no longer in the page.
 */
function translate() {
  const left = 'script, style, title, textarea, font.translated'
  function replace(root: Node) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) {
      if (!text.data.trim() || !text.parentElement || text.parentElement.closest(left)) continue
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      outer.className = inner.className = 'translated'
      inner.textContent = text.data
      outer.append(inner)
      text.replaceWith(outer)
    }
  }
  replace(document.body)
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of addedNodes) replace(node.nodeType === Node.TEXT_NODE ? target : node)
    }
  }).observe(document.body, { childList: true, subtree: true })
}

test('a page that is translated goes on working', async ({ page }) => {
  const translated = async () => {
    await page.waitForLoadState('networkidle')
    await page.evaluate(translate)
    await expect(page.locator('font').first()).toBeAttached()
  }
  const email = newAddress('translated')

  await test.step('join the waitlist, after a mistake', async () => {
    await page.goto('/')
    await translated()
    const form = page.locator('form').first()
    const field = form.getByRole('textbox', { name: 'Email address' })
    await field.fill('nobody@nowhere')
    await field.press('Enter')
    await expect(form.getByRole('alert')).not.toBeEmpty()
    await field.fill(email)
    await field.press('Enter')
    await expect(page.getByRole('status').filter({ hasText: /waitlist/i })).toBeVisible()
  })

  await test.step('sign in, and see the state of the waitlist', async () => {
    await page.goto('/signin')
    await translated()
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await chooseAccount(page, email)
    await page.waitForURL('**/profile')
    await page.goto('/closed-beta')
    await translated()
    await expect(page.getByText('Your waitlist application is pending approval.')).toBeVisible()
  })

  await test.step('the profile: plans, the menu, the end of the session', async () => {
    await page.goto('/profile')
    await expect(page.getByText('Free Plan')).toBeVisible()
    await translated()
    const plans = await openPlans(page, 'Upgrade Plan')
    await expect(plans.getByRole('listitem').first()).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(plans).toBeHidden()
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/')
  })
})
