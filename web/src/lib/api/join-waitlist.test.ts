import { HttpResponse } from 'msw'
import { expect, test } from 'vitest'
import { onPost } from '@/testing/server'
import { joinWaitlist } from './join-waitlist'
import type { Problem } from './problem'

const join = () => joinWaitlist('a@b.test', 'hero_section')

test('sends no bearer and gives the confirmation', async () => {
  onPost('/api/add-waitlist-user', ({ bearer, body }) => {
    expect(bearer).toBeNull()
    expect(body).toEqual({ email: 'a@b.test', source: 'hero_section' })
    return { message: 'Welcome.' }
  })
  await expect(join()).resolves.toEqual({ message: 'Welcome.' })
})

test.each([[{}], [{ message: '' }], [{ message: 7 }], [null], [{ error: '' }]])(
  'success without words (%j) has some',
  async (body) => {
    onPost('/api/add-waitlist-user', () => HttpResponse.json(body))
    await expect(join()).resolves.toEqual({ message: "You're on the waitlist!" })
  },
)

test.each([
  ['words', { error: 'Not today.' }, 'Not today.'],
  ['none', { error: {} }, undefined],
])('an error that comes with 200 and has %s is one', async (_, body, text) => {
  onPost('/api/add-waitlist-user', () => HttpResponse.json(body))
  await expect(join()).rejects.toSatisfy(
    (problem: Problem) => problem.kind === 'answer' && problem.text === text,
  )
})
