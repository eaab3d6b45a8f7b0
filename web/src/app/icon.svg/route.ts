import { icon } from '@/lib/icons/icons'

export const dynamic = 'force-static'

export const GET = icon
