import { touchIcon } from '@/lib/icons/icons'

export const dynamic = 'force-static'

export const GET = touchIcon
