import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { failure, onGet } from '@/testing/server'
import { renderView } from '../testing'
import { ExplainUpdate } from './explain-update'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const ID = '6ba7b810-9dad-51d1-80b4-00c03fffffff'

it('says what an app is offered and why, for what is known of it', async () => {
  const asked: string[] = []
  onGet('/api/explain-update', ({ url }) => {
    asked.push(url.search)
    return {
      version: '1.9.0',
      sentences: ['This app is offered v1.9.0.', 'v1.10.0 is disabled.', 'v1.9.0 is enabled.'],
    }
  })
  const { container } = renderView(ExplainUpdate)
  await userEvent.click(await screen.findByRole('button', { name: 'Explain' }))
  expect(await screen.findByText('This app is offered v1.9.0.')).toBeVisible()
  expect(
    within(screen.getByRole('status'))
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['v1.10.0 is disabled.', 'v1.9.0 is enabled.'])

  await userEvent.type(screen.getByLabelText('Device id'), ` ${ID} `)
  await userEvent.selectOptions(screen.getByLabelText('Channel'), 'beta')
  await userEvent.selectOptions(screen.getByLabelText('Architecture'), 'x64')
  await userEvent.type(screen.getByLabelText('Installed version'), '1.8.0{Enter}')
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  expect(asked).toEqual(['?channel=stable', `?channel=beta&stagingId=${ID}&arch=x64&version=1.8.0`])
  expect(await violations(container)).toEqual([])
})

it('says that there is no answer', async () => {
  onGet('/api/explain-update', () =>
    failure(400, 'The version of the app is not a semantic version.'),
  )
  renderView(ExplainUpdate)
  await userEvent.type(await screen.findByLabelText('Installed version'), 'latest{Enter}')
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'The version of the app is not a semantic version.',
  )
})
