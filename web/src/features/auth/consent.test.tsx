import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { type AppRequest, readAppRequest } from './app-request'
import { Consent } from './consent'

const app = readAppRequest(
  new URLSearchParams({ callback: 'fledge://auth/callback', state: 's' }),
) as AppRequest

describe('the question before an app gets the account', () => {
  const onContinue = vi.fn()
  const onAnother = vi.fn()
  let visibility: DocumentVisibilityState

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    visibility = 'visible'
    vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
    onContinue.mockClear()
    onAnother.mockClear()
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const ask = () =>
    renderApp(
      <Consent app={app} account="ada@fledge.test" onContinue={onContinue} onAnother={onAnother} />,
    )
  const button = (name: string) => screen.getByRole('button', { name })
  const press = () => {
    fireEvent.click(button('Continue'))
    fireEvent.click(button('Use another account'))
  }
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  const nothingHappened = () => {
    expect(button('Continue')).toHaveAttribute('aria-disabled', 'true')
    expect(button('Use another account')).toHaveAttribute('aria-disabled', 'true')
    press()
    expect(onContinue).not.toHaveBeenCalled()
    expect(onAnother).not.toHaveBeenCalled()
  }

  it('says what the app can do and for how long', () => {
    ask()
    expect(screen.getByText(/For up to 30 days it can do what you can do here/)).toBeVisible()
  })

  it('takes no click in the first half second, such as the second one of a double click', async () => {
    ask()
    nothingHappened()
    await pass(499)
    nothingHappened()
    await pass(1)
    fireEvent.click(button('Continue'))
    expect(onContinue).toHaveBeenCalledOnce()
  })

  it('counts from when the tab comes to the front, each time', async () => {
    visibility = 'hidden'
    ask()
    await pass(5000)
    nothingHappened()
    for (const front of ['visible', 'hidden', 'visible'] as const) {
      visibility = front
      fireEvent(document, new Event('visibilitychange'))
      await pass(499)
      nothingHappened()
    }
    await pass(1)
    fireEvent.click(button('Use another account'))
    expect(onAnother).toHaveBeenCalledOnce()
  })
})
