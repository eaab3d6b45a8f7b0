import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FounderSupport } from './founder-support'

test('says how to reach the team', () => {
  render(<FounderSupport />)
  expect(screen.getByRole('link', { name: 'Write to us support@fledge.example' })).toHaveAttribute(
    'href',
    'mailto:support@fledge.example',
  )
})
