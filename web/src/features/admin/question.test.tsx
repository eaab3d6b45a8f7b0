import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { translate } from '@/testing/translate'
import { type Question, QuestionDialog } from './question'

it('goes also when a translator has replaced its words', () => {
  const text = (
    <>
      <bdi>ann@fledge.test</bdi> can return only if you add the address by hand.
    </>
  )
  const question: Question = { title: 'Remove?', text, action: 'Remove', onConfirm: () => {} }
  const { rerender } = render(<QuestionDialog question={question} onClose={() => {}} />)
  translate(document.body)
  expect(screen.getByText(/can return only/)).toBeVisible()
  rerender(<QuestionDialog question={null} onClose={() => {}} />)
  expect(screen.queryByText(/can return only/)).toBeNull()
})
