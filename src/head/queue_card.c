#include "queue_card.h"

void queue_card_policy(const char *nonce, struct hc_buf *out)
{
    hc_buf_printf(out, "default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src 'self'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'", nonce, nonce);
}

static const char style[] =
    ":root{color-scheme:light dark;--back:#f5f5f2;--card:#fff;--ink:#16181d;--soft:#4a4f5a;--line:#c9ccd3;--accent:#0b57d0}"
    "@media(prefers-color-scheme:dark){:root{--back:#0e1014;--card:#191c22;--ink:#f1f2f4;--soft:#b3b9c5;--line:#3b414d;--accent:#8ab4f8}}"
    "*{box-sizing:border-box}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;padding:4vmin;background:var(--back);color:var(--ink);"
    "font-family:system-ui,sans-serif;font-size:clamp(20px,3.2vmin,40px);line-height:1.35}"
    "main{width:min(100%,26em);padding:2em;border:1px solid var(--line);border-radius:.7em;background:var(--card);text-align:center}"
    "h1{margin:0;font-size:2.2em;line-height:1.15;font-weight:650;overflow-wrap:anywhere}"
    "p{margin:.6em 0 0;color:var(--soft)}"
    ".row{display:flex;flex-wrap:wrap;gap:.7em;justify-content:center;margin-top:1.5em}"
    "button{min-height:2.6em;min-width:7em;padding:.4em 1.2em;border:2px solid var(--line);border-radius:.5em;background:transparent;"
    "color:inherit;font:inherit;font-weight:600;cursor:pointer}"
    "button.first{border-color:var(--accent);color:var(--accent)}"
    "button:focus-visible{outline:4px solid var(--accent);outline-offset:3px}"
    "button:disabled{opacity:.5;cursor:default}"
    "[hidden]{display:none!important}";

/* The page asks once a second and says what changed; a screen reader hears the place when it changes, not every second. */
static const char script[] =
    "\"use strict\";"
    "const at=id=>document.getElementById(id),head=at('head'),say=at('say'),stop=at('stop'),here=at('here');"
    "const heads={idle:'Not connected',ready:'Ready',finding_body:'One moment',pairing:'One moment',starting:'Starting',"
    "streaming:'Enjoy the view',error:'Sorry'};"
    "const put=(node,text)=>{if(node.textContent!==text)node.textContent=text};"
    "const place=n=>n<=1?'You are next':'You are number '+n;"
    "const about=s=>s===null||s===undefined?'':s<=60?'About a minute':'About '+Math.ceil(s/60)+' minutes';"
    "function show(s){const q=s.queue;"
    "put(head,q?(q.confirm?'Still there?':place(q.position)):heads[s.status]||'One moment');"
    "put(say,q?(q.confirm?'Tap \\u201cI am here\\u201d to keep your place.':about(q.eta_seconds)):s.message||'');"
    "stop.hidden=['idle','ready','error'].includes(s.status);here.hidden=!(q&&q.confirm)}"
    "async function ask(){try{const r=await fetch('/api/v1/stream/status',{cache:'no-store'});if(!r.ok)throw 0;show(await r.json())}"
    "catch{put(head,'One moment');put(say,'This screen is starting again.')}}"
    "async function post(what,button){button.disabled=true;"
    "try{await fetch('/api/v1/stream/'+what,{method:'POST',headers:{'Content-Type':'application/json'},body:'{}'})}"
    "catch{}finally{button.disabled=false;ask()}}"
    "stop.addEventListener('click',()=>post('stop',stop));"
    "here.addEventListener('click',()=>post('accept',here));"
    "addEventListener('keydown',e=>{if(e.key==='Escape'&&!stop.hidden)post('stop',stop)});"
    "ask();setInterval(ask,1000);";

void queue_card_html(const char *nonce, struct hc_buf *out)
{
    hc_buf_printf(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Your place in line</title>\n"
                       "<style nonce=\"%s\">", nonce);
    hc_buf_str(out, style);
    hc_buf_str(out, "</style>\n</head>\n<body>\n<main>\n<h1 id=\"head\" role=\"status\" aria-live=\"polite\">One moment</h1>\n"
                    "<p id=\"say\"></p>\n<div class=\"row\">\n"
                    "<button id=\"here\" class=\"first\" type=\"button\" hidden>I am here</button>\n"
                    "<button id=\"stop\" type=\"button\" hidden>Cancel</button>\n</div>\n</main>\n"
                    "<noscript>This page needs its script to show your place.</noscript>\n");
    hc_buf_printf(out, "<script nonce=\"%s\">", nonce);
    hc_buf_str(out, script);
    hc_buf_str(out, "</script>\n</body>\n</html>\n");
}
