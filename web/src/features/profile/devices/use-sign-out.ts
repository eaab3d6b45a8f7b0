import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { paths } from '@/config/paths'
import { useSession } from '@/features/session/session-provider'
import { useRevokeDeviceMutation } from '@/lib/api/devices-api'
import { answerOf, isProblem, NETWORK_ERROR, problemText, SOMETHING_WRONG } from '@/lib/api/problem'
import type { Device } from '@/lib/api/types'
import { deviceName } from '@/lib/device-name'

const FAILED = "Sign-out didn't work. Please try again."

/** What a sign-out waits to be confirmed for: another device, or every device. */
export type Wanted = Device | 'everywhere'

/** Signs devices out: this one at once, another one or all of them after the person has agreed. */
export function useSignOut() {
  const session = useSession()
  const router = useRouter()
  const [revoke] = useRevokeDeviceMutation()
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const leave = async (scope: 'device' | 'all') => {
    await session.signOut(scope)
    router.replace(paths.home)
  }

  const here = async () => {
    setBusy(true)
    try {
      await leave('device')
    } catch (problem) {
      console.error('Sign-out failed', problem)
      toastError(FAILED)
      setBusy(false)
    }
  }

  const other = async (device: Device) => {
    try {
      await revoke(device.id).unwrap()
    } catch (problem) {
      // Not found, it has signed out by itself meanwhile: what was asked for is done.
      if (answerOf(problem)?.status !== 404) throw problem
    }
    toastSuccess(`Signed out of ${deviceName(device)}`)
  }

  const confirm = async () => {
    if (!wanted) return
    setBusy(true)
    setError(null)
    try {
      if (wanted === 'everywhere') await leave('all')
      else await other(wanted)
      setWanted(null)
    } catch (problem) {
      setError(problemText(problem, SOMETHING_WRONG, isProblem(problem) ? NETWORK_ERROR : FAILED))
    }
    setBusy(false)
  }

  const ask = (next: Wanted) => {
    if (next !== 'everywhere' && next.current) return void here()
    setError(null)
    setWanted(next)
  }

  return { wanted, busy, error, ask, confirm, cancel: () => setWanted(null) }
}
