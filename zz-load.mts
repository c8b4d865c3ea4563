import {openJsonFileStore} from './src/store/json-file/open.ts';
const l=()=>{};const log={debug:l,info:l,warn:console.log,error:l};
(globalThis as any).gc?.(); const r0=process.memoryUsage();
const t=performance.now();const s=await openJsonFileStore(process.argv[2],{log,now:Date.now});
const ms=performance.now()-t; const r1=process.memoryUsage();
(globalThis as any).gc?.(); const r2=process.memoryUsage();
console.log('open ms',ms|0,'rss MB',r0.rss>>20,r1.rss>>20,r2.rss>>20,'heap',r1.heapUsed>>20,r2.heapUsed>>20);
await new Promise(r=>setTimeout(r,3000)); console.log('later rss',process.memoryUsage().rss>>20);
await s.close();
