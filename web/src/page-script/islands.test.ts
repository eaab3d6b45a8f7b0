import { screen, waitFor } from '@testing-library/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { island } from '@/components/island'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'

test('an island comes to life where its markup stands', async () => {
  const Island = island('waitlist-form', WaitlistForm)
  document.body.innerHTML = renderToStaticMarkup(createElement(Island, { source: 'cta_section' }))
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email address' })
  expect(screen.getByRole('button')).toBeDisabled()
  field.value = 'ada@exam' // typed before the script came

  await import('./islands')

  await waitFor(() => expect(screen.getByRole('button')).toBeEnabled())
  expect(screen.getByRole('textbox', { name: 'Email address' })).toBe(field)
  expect(field).toHaveValue('ada@exam')
})

test('an island that nobody knows is an error', async () => {
  vi.resetModules()
  document.body.innerHTML = '<fledge-island data-name="nothing"></fledge-island>'
  await expect(import('./islands')).rejects.toThrow('no island is called nothing')
})
