'use client'

import { Button } from '@chakra-ui/react'
import { useEffect } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { paths } from '@/config/paths'

interface AppErrorProps {
  error: Error & { statusText?: string }
  reset: () => void
}

/** Shown when a page fails while rendering (spec section 2, 'Default error screen'). */
export default function AppError({ error, reset }: AppErrorProps) {
  useEffect(() => console.error(error), [error])
  return (
    <NoticeScreen title="Unexpected Application Error!" text={error.statusText || error.message}>
      <Button onClick={reset}>Try again</Button>
      <a href={paths.home}>Return to Home</a>
    </NoticeScreen>
  )
}
