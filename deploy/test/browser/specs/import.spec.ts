import { expect, test } from './fixture.ts'

import { pageOf } from './tickets.ts'

// What LibreOffice Calc 7.4 makes of one sheet of four people, of whom the last has no address.
const files = new URL('../testdata/', import.meta.url).pathname

for (const name of [
  'libreoffice-utf8.csv',
  'libreoffice-quoted-semicolon.csv',
  'libreoffice-utf16-tab.csv',
  'libreoffice-windows-semicolon.csv',
]) {
  test(`a spreadsheet saved as ${name} is imported`, async ({ browser }) => {
    const admin = await pageOf(browser, 'admin@fledge.test')
    await admin.goto('/admin?tab=users&view=waitlist')
    await admin.getByRole('button', { name: 'Import CSV' }).click()
    const dialog = admin.getByRole('dialog', { name: 'Import a CSV file' })
    await dialog.getByLabel('CSV file').setInputFiles(files + name)
    await expect(dialog.getByLabel('Email column').locator('option:checked')).toHaveText(/^Email/)
    await expect(dialog.getByLabel('Joined column').locator('option:checked')).toHaveText(/^Joined/)
    const lines = dialog.getByRole('table', { name: 'First lines' }).getByRole('row')
    await expect(lines).toHaveCount(5)
    await expect(lines.nth(1)).toContainText('ada@spread.test')
    await expect(lines.nth(2)).toContainText('kurt@bücher.test')
    await expect(lines.nth(3)).toContainText('grace@spread.test')

    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    const counts = dialog.getByRole('group', { name: 'Result' })
    await expect(counts).toHaveText(/^Added\d+Known\d+Failed1$/)
    await dialog.getByRole('button', { name: 'Import again' }).click()
    await expect(counts).toHaveText('Added0Known3Failed1')
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await admin.getByLabel('Search the waitlist').fill('bücher.test')
    await expect(admin.getByText('kurt@xn--bcher-kva.test')).toBeVisible()
  })
}

test('a workbook says to save it as CSV', async ({ browser }) => {
  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.goto('/admin?tab=users&view=waitlist')
  await admin.getByRole('button', { name: 'Import CSV' }).click()
  const dialog = admin.getByRole('dialog', { name: 'Import a CSV file' })
  for (const name of ['libreoffice.ods', 'libreoffice.xlsx']) {
    await dialog.getByLabel('CSV file').setInputFiles(files + name)
    await expect(dialog.getByText(name)).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveText(
      'The file is a workbook. Save it as CSV first.',
    )
    await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  }
})
