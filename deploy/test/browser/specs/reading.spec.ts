import { expect, test } from './fixture.ts'

import { answer, subscriber, tester } from '../visual/api.ts'
import { staff } from '../visual/staff.ts'
import { crowded, overflow } from './axe.ts'

test('with everything at twice its size nothing is cut off or lies on something else', async ({
  page,
}) => {
  await answer(page, 'admin@fledge.test', { ...subscriber, ...staff })
  const browser = await page.context().newCDPSession(page)
  const paths = [
    ['/', 'Join Waitlist'],
    ['/blog/figma-to-swiftui', 'Share'],
    ['/profile', 'This device'],
    ['/admin?tab=updates', 'By version, all time'],
    ['/admin?tab=users&view=waitlist', 'sam.okafor@fledge.test'],
  ] as const
  for (const [path, shown] of paths) {
    await page.goto(path)
    await expect(page.getByText(shown).filter({ visible: true }).first()).toBeVisible()
    // 1280 px at 200 % and at 400 %, and larger letters alone.
    for (const [width, letters] of [
      [640, 16],
      [320, 16],
      [1280, 32],
    ] as const) {
      await browser.send('Page.setFontSizes', { fontSizes: { standard: letters, fixed: letters } })
      await page.setViewportSize({ width, height: 720 })
      const how = `${path} at ${width} px, letters of ${letters} px`
      expect(await overflow(page), `horizontal overflow of ${how}`).toBe(0)
      expect(await crowded(page), how).toEqual([])
    }
  }
  // And what cannot be read is seen.
  await page.evaluate(() => {
    const heading = document.querySelector('h1') as HTMLElement
    heading.style.marginBottom = '-3rem'
    Object.assign((document.querySelector('[role=tab]') as HTMLElement).style, {
      width: '2rem',
      overflow: 'hidden',
    })
  })
  const found = await crowded(page)
  expect(found).toContain('cut: Overview')
  expect(found.join()).toContain(' / Admin Dashboard')
})

type Look = [path: string, shown: string, email?: string, answers?: Parameters<typeof answer>[2]]
const everywhere: Look[] = [
  ['/', 'Closed beta for Mac'],
  ['/blog', 'All Articles'],
  ['/blog/how-much-cost-build-ios-app-2025', 'Share'],
  ['/terms', 'Governing Law'],
  ['/privacy', 'Privacy Policy'],
  ['/signin', 'Continue with Google'],
  ['/nowhere', 'Return to Home'],
  ['/closed-beta', 'Download for Mac (v1.1.0)', 'jane@fledge.test', tester],
  ['/profile', 'This device', 'jane@fledge.test', subscriber],
  ['/admin', 'Downloads by version', 'admin@fledge.test', staff],
  ['/admin?tab=tickets', 'Page 1 of 3', 'admin@fledge.test', staff],
  ['/admin?tab=users', 'sam.okafor@fledge.test', 'admin@fledge.test', staff],
  ['/admin?tab=users&view=waitlist', 'sam.okafor@fledge.test', 'admin@fledge.test', staff],
  ['/admin?tab=updates', 'By version, all time', 'admin@fledge.test', staff],
  ['/admin?tab=audit', 'TKT-000003', 'admin@fledge.test', staff],
]

for (const [path, shown, email = null, answers] of everywhere) {
  test(`${path} is no wider than its window, at 400 % and with letters of twice the size`, async ({
    page,
  }) => {
    await answer(page, email, answers)
    await page.goto(path)
    await expect(page.getByText(shown).filter({ visible: true }).first()).toBeVisible()
    const browser = await page.context().newCDPSession(page)
    // A phone with large letters is a person's, not a member of staff's.
    for (const [width, letters] of [
      [320, 16],
      [1280, 32],
      ...(answers === staff ? [] : [[360, 32] as const]),
    ] as const) {
      await browser.send('Page.setFontSizes', { fontSizes: { standard: letters, fixed: letters } })
      await page.setViewportSize({ width, height: 720 })
      expect(await overflow(page), `${width} px, letters of ${letters} px`).toBe(0)
    }
  })
}

test.describe('by finger', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test('no field has letters so small that a phone zooms into it', async ({ page }) => {
    const sizes = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll(
            'input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea',
          ),
        ].map((field) => parseFloat(getComputedStyle(field).fontSize)),
      )
    await page.goto('/')
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(16)
    await page.goto('/blog')
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(16)

    await answer(page, 'jane@fledge.test', subscriber)
    await page.goto('/profile')
    await page.getByRole('button', { name: 'Contact support' }).click()
    await expect(page.getByRole('dialog').getByRole('textbox').first()).toBeVisible()
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(16)

    await answer(page, 'admin@fledge.test', staff)
    for (const [tab, field] of [
      ['tickets', 'searchbox'],
      ['users', 'searchbox'],
      ['updates', 'spinbutton'],
      ['audit', 'combobox'],
    ] as const) {
      await page.goto(`/admin?tab=${tab}`)
      await expect(page.getByRole(field).first()).toBeVisible()
      expect(Math.min(...(await sizes())), tab).toBeGreaterThanOrEqual(16)
    }
  })
})

test.describe('for who wants no motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('the idea, its code and its app are complete and still', async ({ page }) => {
    await page.goto('/')
    const ideas = page.getByRole('group', { name: 'Choose an idea' }).getByRole('radio')
    for (const [index, last] of [
      [0, null],
      [1, null],
      [2, '$33.60'],
    ] as const) {
      await ideas.nth(index).focus()
      await page.keyboard.press('Space')
      await expect(ideas.nth(index)).toBeChecked()
      const running = () =>
        document.getAnimations().filter(({ playState }) => playState === 'running').length
      await expect.poll(() => page.evaluate(running)).toBe(0)
      const scene = page
        .locator('figure [data-scene]')
        .filter({ visible: true, has: page.locator('pre') })
      await expect(scene).toHaveCount(1)
      const hidden = await scene.evaluate(
        (element) =>
          [...element.querySelectorAll('code > span')].filter((line) => {
            const { opacity, clipPath } = getComputedStyle(line)
            return opacity !== '1' || clipPath !== 'none'
          }).length,
      )
      expect(hidden, 'lines of code that are not there yet').toBe(0)
      await expect(scene.locator('code')).toContainText('struct')
      if (last) {
        const opacity = (text: string) =>
          scene
            .getByText(text, { exact: true })
            .evaluate((element) => getComputedStyle(element).opacity)
        expect(await opacity(last)).toBe('1')
        expect(await opacity('$32.20')).toBe('0')
      }
      const before = await scene.screenshot({ animations: 'allow' })
      expect(
        (await scene.screenshot({ animations: 'allow' })).equals(before),
        'the picture stands still',
      ).toBe(true)
    }
    await page.getByRole('link', { name: 'Stats' }).click()
    await expect(page.locator('#stats')).toBeInViewport()
  })
})
